import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct StreamHomeTests {
  @Test
  func `making or getting a call is queued four times at most`() throws {
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
