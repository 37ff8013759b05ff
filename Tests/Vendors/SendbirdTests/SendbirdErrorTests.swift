import GatewayCore
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdErrorTests {
  @Test(arguments: GatewayError.all)
  func `every error of the gateway has a number of the vendor's`(error: GatewayError) {
    let answer = SendbirdError(error)
    #expect(
      [503, 800_101, 403_100].contains(answer.code) || (400_100...400_999).contains(answer.code)
        || (500_601...500_910).contains(answer.code) || (900_010...900_500).contains(answer.code))
    #expect(!answer.message.isEmpty)
  }

  @Test(arguments: [
    (GatewayError.userDeactivated, 400_300), (.userUnknown, 400_301), (.tokenExpired, 400_302),
    (.signatureInvalid, 400_302), (.tokenMalformed, 400_302), (.tokenNotRenewed, 400_302), (.userMismatch, 400_302),
    (.tokenUnknown, 400_302), (.sessionUnknown, 400_303), (.applicationUnknown, 400_304),
    (.userNameTooLong, 400_305), (.sessionExpired, 400_309), (.tokenRevoked, 400_310), (.tooMany, 400_500),
    (.connectionRequired, 800_101), (.notPermitted, 900_030), (.internalError, 500_901),
  ])
  func `the errors that clients act on keep their meaning`(error: GatewayError, code: Int) {
    #expect(SendbirdError(error.detailed("more")).code == code)
  }

  @Test(arguments: [
    (SendbirdError.accessTokenInvalid, 400), (.apiTokenMissing, 400), (.applicationUnavailable, 403),
    (.rateLimited, 429), (.internalError, 500), (.temporaryFailure, 503), (.connectionRequired, 400),
  ])
  func `most errors over HTTP are 400, and clients read the code`(error: SendbirdError, status: Int) {
    #expect(error.response.status == status)
    #expect(error.response.header("content-type") == "application/json")
    #expect(error.response.member("code") == String(error.code) && error.response.member("error") == "true")
  }

  @Test
  func `EROR goes to its requester only, and no session event has a negative time`() {
    let dialect = SendbirdDialect(SendbirdSettings(apiToken: Credentials(token: "secret")))
    #expect(dialect.encode(.error(.connectionRequired, request: nil)) == nil)
    #expect(
      dialect.encode(.error(.connectionRequired, request: RequestID("7")))?.text
        == #"EROR{"req_id":"7","error":true,"code":800101,"message":"Connection is required.","ts":1800000000000}"#
        + "\n")
    #expect(
      SendbirdFrame.sessionEvent(reason: .sessionExpired, expiresIn: .seconds(-1)).text
        == #"EXPR{"expires_in":0,"reason":400309}"# + "\n")
  }
}
