import GatewayCore
import Testing

struct CatalogueTests {
  @Test
  func `every error has a unique number and name`() {
    #expect(Set(GatewayError.all.map(\.number)).count == GatewayError.all.count)
    #expect(Set(GatewayError.all.map(\.name)).count == GatewayError.all.count)
  }

  @Test(arguments: GatewayError.all)
  func `an error's number begins with its HTTP status, except for vendors' own errors`(error: GatewayError) {
    #expect((100_000...999_999).contains(error.number))
    #expect((400...599).contains(error.httpStatus))
    if error != .connectionRequired { #expect(error.number / 1_000 == error.httpStatus) }
    #expect(Self.isSnakeCase(error.name))
    #expect(!error.message.isEmpty)
  }

  @Test
  func `missing authentication is 800101, connection_required, and 409 over HTTP`() {
    #expect(GatewayError.connectionRequired.number == 800_101)
    #expect(GatewayError.connectionRequired.name == "connection_required")
    #expect(GatewayError.connectionRequired.httpStatus == 409)
  }

  @Test
  func `an error with details equals the same error without`() {
    let detailed = GatewayError.invalidParameter.detailed("cid")
    #expect(detailed.isSame(as: .invalidParameter) && detailed != .invalidParameter)
    #expect(!detailed.isSame(as: .malformedMessage))
    #expect(detailed.message.hasSuffix(": cid"))
  }

  @Test
  func `every close reason fits into a close frame and has a unique name`() {
    #expect(Set(CloseReason.all.map(\.name)).count == CloseReason.all.count)
    for reason in CloseReason.all {
      #expect(reason.name.utf8.count <= 123)
      #expect(Self.isSnakeCase(reason.name))
      // RFC 6455 section 7.4.1: 1006 is never sent.
      #expect(CloseReason.maySend(reason.code) || reason.code == 1006)
    }
    let own = CloseReason.all.filter { (4_000...4_999).contains($0.code) }
    #expect(Set(own.map(\.code)).count == own.count)
  }

  @Test(arguments: [
    (CloseReason.refreshTimeout, true), (.loginTimeout, true), (.livenessTimeout, true), (.slowConsumer, true),
    (.tokenRevoked, true), (.disconnected, true), (.serviceRestart, true), (.overloaded, true), (.goingAway, true),
    (.invalidToken, false), (.anonymousRefused, false), (.tooManyFailures, false), (.normal, false),
    (.protocolError, false), (.messageTooBig, false),
  ])
  func `a close code's range says whether a client may come back`(reason: CloseReason, may: Bool) {
    #expect(reason.mayReconnect == may)
  }

  @Test
  func `the documented codes do not change`() {
    #expect(CloseReason.refreshTimeout.code == 4_000)
    #expect(CloseReason.loginTimeout.code == 4_001)
    #expect(CloseReason.invalidToken.code == 4_500)
  }

  @Test
  func `an operator's close reason needs a code that may be sent and a text of 123 bytes at most`() {
    #expect(CloseReason(code: 4_123, name: String(repeating: "é", count: 61))?.code == 4_123)
    #expect(CloseReason(code: 4_123, name: String(repeating: "é", count: 62)) == nil)
    for code in [UInt16(0), 999, 1_004, 1_005, 1_006, 1_015, 2_000, 2_999, 5_000, .max] {
      #expect(CloseReason(code: code, name: "no") == nil)
    }
    for code in [UInt16(1_000), 1_003, 1_007, 1_014, 3_000, 4_999] {
      #expect(CloseReason(code: code, name: "yes") != nil)
    }
  }

  private static func isSnakeCase(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) }
  }
}
