-- `fold` now finds what people type; see domain/fold.ts. The trigger of the index notes the animals whose form changes.
UPDATE pet SET search_name = fold(name) WHERE search_name <> fold(name);
