/** How many times as long those tests go on that try much at random: `PETSTORE_TEST_ROUNDS=10` for ten times. */
export const ROUNDS = Number(process.env.PETSTORE_TEST_ROUNDS ?? 1)
