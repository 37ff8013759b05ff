package import GatewayCore
internal import GatewayJSON

/// The client's side of the built-in token provider, `POST /v1/tokens`.
package struct TokenProviderClient: Sendable {
  /// The secret that the provider requires as `Authorization: Bearer`; nil for none.
  private let secret: Credentials?
  /// The scheme of the tokens; nil for the gateway's own.
  private let scheme: String?

  package init(secret: Credentials? = nil, scheme: String? = nil) {
    self.secret = secret
    self.scheme = scheme
  }

  /// Returns the request for a token.
  ///
  /// - Parameter kind: The user's kind; nil for the provider's default, a regular user.
  package func request(for user: UserID, kind: UserKind? = nil, life: TokenLife) -> HTTPRequest {
    let body = JSONWriter.object { json in
      json.member("user_id", user.rawValue)
      if let kind { json.member("kind", kind.rawValue) }
      if let scheme { json.member("scheme", scheme) }
      switch life {
      case .lasting(let duration): json.member("life_s", secondsOf: duration.nanoseconds)
      case .until(let time): json.member("expires_at", secondsOf: time.nanoseconds)
      }
    }
    var headers = [HTTPField("content-type", "application/json")]
    if let secret { headers.append(HTTPField("authorization", "Bearer \(secret.token)")) }
    return HTTPRequest(method: "POST", path: "/v1/tokens", headers: headers, body: body)
  }

  /// Returns the token in an answer; nil if it has none.
  package func token(in response: HTTPResponse) -> Credentials? {
    guard response.status == 200 else { return nil }
    return response.body.withUnsafeBytes { body in
      guard let answer = try? JSONObject(body), let token = try? answer.string("token", bytes: 1...Int.max) else {
        return nil
      }
      return Credentials(token: token)
    }
  }
}
