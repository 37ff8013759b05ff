import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

struct StreamRepetitionTests {
  /// Returns the answers to joining a call, including the SFU's tokens, and to a server's export.
  private func run(sfuIsHere: Bool) throws -> [String] {
    let stream = try SimulatedStream { if !sfuIsHere { $0.calls.sfu = nil } }
    var answers = try ["ann", "bob"].map { user in
      let answer = try #require(stream.join(user))
      #expect(answer.status == 201 && answer.text.contains(#""token":""#), "\(answer.text)")
      return answer.text
    }
    let exported = try #require(
      stream.fetch("POST", "/export/users", token: stream.serverToken, body: #"{"user_ids":["ann"]}"#))
    #expect(exported.status == 201, "\(exported.text)")
    answers.append(exported.text)
    return answers
  }

  @Test(arguments: [true, false])
  func `a run in virtual time repeats itself byte for byte, tokens and all`(sfuIsHere: Bool) throws {
    let (one, two) = (try run(sfuIsHere: sfuIsHere), try run(sfuIsHere: sfuIsHere))
    #expect(one == two)
  }
}
