internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// A validated authorization request (OpenID Connect Core section 3.1.2.1, RFC 7636 section 4.3).
struct OpenIDAuthorization: Codable, Sendable {
  static let knownScopes: [Name] = ["openid", "profile", "offline_access"]
  private static let textBytesMax = 2_000

  let answer: OpenIDAnswer
  let company: Name
  let client: Name
  /// The requested scopes that exist.
  let scopes: [Name]
  let nonce: String?
  /// The S256 code challenge.
  let challenge: String
  let loginHint: String?

  /// Validates a request whose errors the client may receive.
  init(_ parameters: OpenIDParameters, company: Name, answer: OpenIDAnswer) throws(StreemFailure) {
    try parameters.check()
    try Self.checkExtensions(parameters)
    scopes = try Self.scopes(parameters)
    challenge = try Self.challenge(parameters)
    try Self.checkPrompt(parameters)
    for name in ["state", "nonce", "login_hint"] as [Name] {
      if let value = parameters[name], value.utf8.count > Self.textBytesMax {
        throw StreemFailure(.invalidRequest, "\(name) is longer than \(Self.textBytesMax) bytes")
      }
    }
    self.answer = answer
    self.company = company
    client = Name(parameters["client_id"] ?? "")
    nonce = parameters["nonce"]
    loginHint = parameters["login_hint"]
  }

  /// Reads the request that an ``OpenIDSeal`` contained; fails if something is missing.
  init?(sealed json: JSONView) {
    guard let company = json["company"]?.string, let client = json["client"]?.string,
      let redirect = json["redirect"]?.string, let issuer = json["issuer"]?.string,
      let scopes = json["scopes"]?.elements?.map(\.string), let challenge = json["challenge"]?.string
    else { return nil }
    answer = OpenIDAnswer(redirect: Name(redirect), state: json["state"]?.string, issuer: issuer)
    self.company = Name(company)
    self.client = Name(client)
    self.scopes = scopes.compactMap { $0.map { Name($0) } }
    self.challenge = challenge
    nonce = json["nonce"]?.string
    loginHint = json["hint"]?.string
  }

  /// The approximate size in bytes.
  var bytes: Int {
    let texts = [answer.redirect.text, answer.issuer, challenge, answer.state ?? "", nonce ?? "", loginHint ?? ""]
    return texts.reduce(256) { $0 + $1.utf8.count }
  }

  /// Returns where the client receives the answer. An error here is shown to the person only, because the client or its
  /// redirect URL is wrong (RFC 6749 section 4.1.2.1).
  static func answer(
    _ parameters: OpenIDParameters, issuer: String, settings: OpenIDSettings
  ) throws(StreemFailure) -> OpenIDAnswer {
    guard let id = parameters["client_id"], !parameters.isRepeated("client_id"),
      let client = settings.client(Name(id))
    else {
      throw StreemFailure(.invalidClient, "client_id is missing, or names no registered client")
    }
    guard let redirect = parameters["redirect_uri"].map({ Name($0) }), !parameters.isRepeated("redirect_uri"),
      client.mayReturn(to: redirect)
    else {
      throw StreemFailure(.invalidRequest, "redirect_uri is missing, or is not registered for this client")
    }
    let state = parameters.isRepeated("state") ? nil : parameters["state"]
    return OpenIDAnswer(redirect: redirect, state: state, issuer: issuer)
  }

  private static func checkExtensions(_ parameters: OpenIDParameters) throws(StreemFailure) {
    if parameters["request"] != nil { throw StreemFailure(.requestNotSupported, "request objects are not read") }
    if parameters["request_uri"] != nil { throw StreemFailure(.requestURINotSupported, "request_uri is not fetched") }
    if parameters["registration"] != nil {
      throw StreemFailure(.registrationNotSupported, "clients are registered by the operator")
    }
    guard let type = parameters["response_type"] else {
      throw StreemFailure(.invalidRequest, "response_type is missing")
    }
    guard type == "code" else { throw StreemFailure(.unsupportedResponseType, "response_type must be code") }
    if let mode = parameters["response_mode"], mode != "query" {
      throw StreemFailure(.invalidRequest, "response_mode must be query")
    }
  }

  private static func scopes(_ parameters: OpenIDParameters) throws(StreemFailure) -> [Name] {
    let asked = scopes(in: parameters["scope"] ?? "")
    guard asked.contains("openid") else { throw StreemFailure(.invalidScope, "scope must hold openid") }
    return knownScopes.filter(asked.contains)
  }

  /// Splits a list of scopes at its spaces (RFC 6749 section 3.3), by bytes.
  static func scopes(in list: String) -> [Name] {
    list.utf8.split(separator: UInt8(ascii: " ")).map { Name(Substring($0)) }
  }

  /// Returns the challenge. Without a method it would be `plain` (RFC 7636 section 4.3), which gives no protection, and
  /// is refused.
  private static func challenge(_ parameters: OpenIDParameters) throws(StreemFailure) -> String {
    guard let challenge = parameters["code_challenge"] else {
      throw StreemFailure(.invalidRequest, "code_challenge is missing")
    }
    guard parameters["code_challenge_method"] == "S256" else {
      throw StreemFailure(.invalidRequest, "code_challenge_method must be S256")
    }
    guard challenge.utf8.count == 43, Base64URL.decode(challenge)?.count == 32 else {
      throw StreemFailure(.invalidRequest, "code_challenge is not the base64url of a SHA-256")
    }
    return challenge
  }

  /// Checks `prompt`. Nobody stays logged in at the provider, so all values except `none` have the same effect.
  private static func checkPrompt(_ parameters: OpenIDParameters) throws(StreemFailure) {
    let prompts = (parameters["prompt"] ?? "").split(separator: " ")
    guard prompts.contains("none") else { return }
    guard prompts.count == 1 else { throw StreemFailure(.invalidRequest, "prompt none stands alone") }
    throw StreemFailure(.loginRequired, "a person has to log in")
  }

  /// Returns whether the challenge was derived from `verifier` (RFC 7636 sections 4.1 and 4.6).
  static func isVerifier(_ verifier: String, of challenge: String) -> Bool {
    let isText = verifier.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
      default: false
      }
    }
    guard isText, (43...128).contains(verifier.utf8.count) else { return false }
    return ConstantTime.areEqual(Array(challenge.utf8), Array(Base64URL.encode(SHA256.digest(verifier.utf8)).utf8))
  }
}
