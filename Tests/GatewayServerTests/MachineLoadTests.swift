import GatewayCore
import Testing

@testable import GatewayServer

struct MachineLoadTests {
  @Test(
    arguments: [
      ("6.12 4.20 2.91 7/280 4118\n", 7), ("0.00 0.00 0.00 1/1 1", 1), ("0 0 0 x/3 1", nil), ("", nil), ("1 2 3", nil),
      ("0 0 0 99999999999999999999/3 1", nil),
    ] as [(String, Int?)])
  func `the threads that run or want to are the fourth word of the load, and anything else is no count`(
    text: String, count: Int?
  ) {
    #expect(MachineLoad.running(in: Array(text.utf8)) == count)
  }

  @Test(
    arguments: [
      ("2000 108304409 12\n", .nanoseconds(108_304_409)), ("1\n", nil), ("1 x 2", nil), ("", nil),
    ] as [(String, Duration?)])
  func `a thread's wait is the second word of its schedstat, and anything else is no wait`(
    text: String, wait: Duration?
  ) {
    #expect(MachineLoad.wait(in: Array(text.utf8)) == wait)
  }

  @Test(
    arguments: [
      ("Name:\tpostern\nCpus_allowed:\tff,00000003\nCpus_allowed_list:\t0-1\n", 10), ("Cpus_allowed:\t0\n", nil),
      ("Cpus_allowed_list:\t0-1\n", nil), ("", nil),
    ] as [(String, Int?)])
  func `the processors are the ones in the mask of a process' status`(text: String, count: Int?) {
    #expect(MachineLoad.processors(in: Array(text.utf8)) == count)
  }

  @Test
  func `as many threads as processors wait for nothing, and four times as many get a quarter each`() {
    #expect(MachineLoad.shareLost(running: nil, processors: 2) == 0)
    #expect(MachineLoad.shareLost(running: 2, processors: 2) == 0)
    #expect(MachineLoad.shareLost(running: 8, processors: 2) == 0.75)
    #expect(MachineLoad.processors >= 1)
  }
}
