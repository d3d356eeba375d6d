/** How many times as long randomised tests run: `PETSTORE_TEST_ROUNDS=10` for ten times. */
export const ROUNDS = Number(process.env.PETSTORE_TEST_ROUNDS ?? 1)
