/** The names of the columns of a table. */
export function TableHead({ names, className }: { names: readonly string[]; className?: string }) {
  return (
    <thead className={className}>
      <tr>
        {names.map(name => (
          <th key={name} scope="col" dir="auto" data-label={name}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
