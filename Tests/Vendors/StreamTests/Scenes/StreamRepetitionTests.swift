import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@Suite("A run of Stream's side in virtual time")
struct StreamRepetitionTests {
  /// What joining a call answers, the tokens of its SFU included.
  private func run() throws -> [String] {
    let stream = try SimulatedStream()
    return try ["ann", "bob"].map { user in
      let answer = try #require(stream.join(user))
      #expect(answer.status == 201 && answer.text.contains(#""token":"ey"#), "\(answer.text)")
      return answer.text
    }
  }

  @Test("repeats itself byte for byte, tokens and all")
  func repeats() throws {
    let (one, two) = (try run(), try run())
    #expect(one == two)
  }
}
