import { startTestService } from '../support/service.ts'
import { testUnreadableCalls } from './unreadable-calls.ts'

testUnreadableCalls('in this process', startTestService)
