import type { Operator } from '../domain/operator.ts'
import { Call } from '../http/call.ts'

export class OperatorCall extends Call {
  operator: Operator | undefined = undefined

  override formatCaller(): string {
    return this.operator ? `,"token":${this.operator.tokenId}` : ''
  }
}
