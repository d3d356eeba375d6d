/** Who calls on the operators' side. */
export interface Operator {
  tokenId: bigint
}
