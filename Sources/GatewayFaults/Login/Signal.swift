internal import GatewayCore

/// A failure of a login or a refresh that is signalled in one of nine ways, e.g. by a close frame with 1011.
struct Signal: LoginFault {
  static let word = "signal"
  static let summary =
    "rejects the login, or the refresh: S1 by 401, S2 by 403, S3 an error and a close, S4 a close alone, S5 no close frame, "
    + "S6 a code of the wrong family, S7 a code that means come back, S8 an unknown code, S9 come back later"
  static let members = ["failure", "as", "of", "code", "reason", "status", "retry_after_s", "text"]
  static let example = #"{"fault": "signal", "failure": "token_expired", "as": "S4", "code": 3003, "times": 1}"#

  /// The way of signalling, e.g. `S1` by 401 instead of the upgrade.
  enum Way: String, CaseIterable, Sendable {
    case s1 = "S1"
    case s2 = "S2"
    case s3 = "S3"
    case s4 = "S4"
    case s5 = "S5"
    case s6 = "S6"
    case s7 = "S7"
    case s8 = "S8"
    case s9 = "S9"
  }

  let failure: LoginFailure
  let use: TokenUse
  /// The response instead of a 101; nil for a login that fails after it.
  private let answer: FaultAnswer?

  private static let textLengthMax = 65_536

  init(_ fields: FaultFields) throws(GatewayError) {
    guard let error = try fields.error("failure") else { throw fields.missing("failure") }
    guard let way = try fields.word("as", Way.self) else { throw fields.missing("as") }
    let code = try fields.closeReason()
    let asked = try fields.whole("status", in: 400...599).map { Int($0) }
    let retryAfter = try fields.seconds("retry_after_s")
    let text = try fields.text("text", bytes: Self.textLengthMax)
    let status: Int? =
      switch way {
      case .s1: asked ?? 401
      case .s2: asked ?? 403
      case .s9 where code == nil: asked ?? (error.httpStatus == 429 ? 429 : 503)
      default: nil
      }
    use = try fields.word("of") ?? .login
    guard status == nil || use == .login else {
      throw .invalidParameter.detailed("S1, S2, and S9 without a code, are answers to an upgrade, which no refresh is")
    }
    answer = status.map { FaultAnswer(error, status: $0, retryAfter: retryAfter) }
    failure =
      switch way {
      case .s1, .s2, .s3: LoginFailure(error, ending: code.map { .closed($0) })
      case .s4: LoginFailure(error, words: .none, ending: .closed(code ?? Self.close(3000)))
      case .s5: LoginFailure(error, words: .none, ending: .aborted)
      case .s6: LoginFailure(error, words: .none, ending: .closed(code ?? .internalError))
      case .s7: LoginFailure(error, ending: .closed(code ?? Self.close(4000)))
      case .s8:
        LoginFailure(
          error, words: .frame(Frame(text: text ?? #"{"type":"nobody_knows"}"#)),
          ending: .closed(code ?? Self.close(4999)))
      case .s9: LoginFailure(error, words: .none, ending: .closed(code ?? .overloaded))
      }
  }

  private static func close(_ code: UInt16) -> CloseReason { CloseReason(code: code, name: "") ?? .policyViolation }

  var isBeforeUpgrade: Bool { answer != nil }

  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse {
    var response = answer?.response(words) ?? words(failure.error)
    // RFC 9110 section 15.5.2: a 401 has a challenge.
    if response.status == 401, !response.headers.contains(where: { $0.name == "www-authenticate" }) {
      response.headers.append(HTTPField("www-authenticate", "Bearer"))
    }
    return response
  }
}
