import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

struct StreamErrorTests {
  @Test(arguments: [
    (GatewayError.applicationUnknown, 2, 401), (.malformedRequest, 4, 400), (.tokenMalformed, 5, 401),
    (.credentialsMissing, 5, 401), (.tooMany, 9, 429), (.notFound, 16, 404), (.notPermitted, 17, 403),
    (.bodyTooLarge, 22, 413), (.tokenExpired, 40, 401), (.tokenRevoked, 40, 401), (.tokenNotYetValid, 41, 401),
    (.tokenUsedBeforeIssued, 42, 401), (.signatureInvalid, 43, 401), (.sessionUnknown, 46, 400),
    (.methodNotAllowed, 4, 405), (.connectionRequired, 5, 401), (.internalError, -1, 500), (.draining, -1, 503),
  ])
  func `each of the gateway's errors has a vendor error of the same cause`(error: GatewayError, code: Int, status: Int)
  {
    let stream = StreamError(error)
    #expect(stream.code == code && stream.status == status)
  }

  @Test
  func `every error of the gateway has a code, and missing authentication is 800101`() {
    for error in GatewayError.all {
      #expect(StreamError(error).code != -1 || error.httpStatus >= 500, "\(error.name)")
    }
    #expect(StreamError(.connectionRequired).details == [800_101])
    #expect(StreamError(.credentialsMissing).details == [800_101])
    #expect(StreamError(.tokenExpired).details == [])
  }

  @Test
  func `code and words survive the way through the gateway's errors`() {
    let errors: [StreamError] = [
      .tokenExpired, .tokenRevoked, .tokenNotYetValid, .tokenUsedBeforeIssued, .signatureInvalid(key: "k"),
      .accessKey("api_key not provided"), .authentication("x"), .notAllowed("y"), .doesNotExist("z"),
      .rateLimit("slow down"), .authenticationMissing("w"),
    ]
    for error in errors { #expect(StreamError(error.gatewayError) == error) }
  }

  @Test
  func `errors over HTTP name the operation, the documentation and the duration`() throws {
    let error = StreamError.input("data.members is limited to 100", field: "data.members")
    let body = try JSONDocument.parse(error.body(operation: "JoinCall", duration: .microseconds(1254))).root
    #expect(body["message"]?.string == #"JoinCall failed with error: "data.members is limited to 100""#)
    #expect(body["code"]?.integer == 4 && body["StatusCode"]?.integer == 400)
    #expect(body["duration"]?.string == "1.25ms")
    #expect(body["more_info"]?.string == "https://getstream.io/chat/docs/api_errors_response")
    #expect(body["details"]?.count == 0)
    #expect(body["exception_fields"]?["data.members"]?.string == "data.members is limited to 100")
  }

  @Test
  func `connection.error has the socket family's form, on a connection that has a name only once logged in`() throws {
    for kind in StreamDialect.Kind.allCases {
      for isLoggedIn in [true, false] {
        let context = DialectContext(
          connection: ConnectionID(loop: 1, serial: 2), isLoggedIn: isLoggedIn, now: WallTime(seconds: 1))
        let frame = try #require(StreamDialect(kind).encode(.error(.tokenExpired, request: nil), context))
        let root = try JSONDocument.parse(frame.payload).root
        #expect(root["type"]?.string == "connection.error")
        let id = try #require(root["connection_id"]?.string)
        #expect(isLoggedIn ? StreamConnectionID.read(id) == context.connection : id.isEmpty)
        #expect(root["error"]?["message"]?.string == "JWTAuth error: token is expired (exp)")
        #expect(kind == .v2 ? root["created_at"]?.integer == 1_000_000_000 : root["created_at"]?.string != nil)
      }
    }
  }

  @Test
  func `connection names have the form of a UUID, and no other text is a connection name`() {
    for id in [ConnectionID(loop: 0, serial: 1), ConnectionID(rawValue: .max)] {
      #expect(StreamConnectionID.text(id).utf8.count == 36)
      #expect(StreamConnectionID.read(StreamConnectionID.text(id)) == id)
    }
    for text in ["", "conn_0_1", "00000000-0000-4000-8000-00010000000", "x0000000-0000-4000-8000-000100000000"] {
      #expect(StreamConnectionID.read(text) == nil)
    }
  }
}
