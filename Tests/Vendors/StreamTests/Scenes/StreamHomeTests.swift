import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@Suite("Queues that a Stream request crosses")
struct StreamHomeTests {
  @Test("making or getting a call is queued four times at most")
  func getOrCreate() throws {
    let stream = try SimulatedStream()
    let peer = stream.connect(stream.token())
    for number in 0..<4 {
      let count = stream.space.jobs {
        let answer = stream.fetch("POST", "/video/call/default/talk\(number / 2)", token: stream.token(), body: "{}")
        #expect(answer?.status == 201)
      }
      #expect(count <= 4)
    }
    #expect(peer.isOpen)
  }
}
