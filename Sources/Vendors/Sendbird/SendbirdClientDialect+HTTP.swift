internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Tokens and session keys over HTTP.

extension SendbirdClientDialect {
  func registration(of user: UserID) -> HTTPRequest? {
    guard apiToken != nil else { return nil }
    let body = JSONWriter.object { json in
      json.member("user_id", user.rawValue)
      json.member("nickname", user.rawValue)
      json.member("profile_url", "")
    }
    return platformRequest("/v3/users", body)
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    guard apiToken != nil else { return provider.request(for: user, life: life) }
    let end =
      switch life {
      case .lasting(let duration): now + duration
      case .until(let time): time
      }
    let body = JSONWriter.object { $0.member("expires_at", end.nanoseconds / 1_000_000) }
    return platformRequest("/v3/users/\(PercentEncoding.encode(user.rawValue))/token", body)
  }

  private func platformRequest(_ path: String, _ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: path,
      headers: [HTTPField("content-type", "application/json"), HTTPField("api-token", apiToken?.token ?? "")],
      body: body)
  }

  func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }

  func keyRequest(of client: ClientIdentity) -> HTTPRequest? {
    guard let token = client.token else { return nil }
    let body = JSONWriter.object { json in
      json.member("expiring_session", true)
      if kind == .javascript {
        json.member("token", token.token)
        json.member("services", strings: ["chat"])
      }
    }
    return HTTPRequest(
      method: "POST", path: "/v3/users/\(PercentEncoding.encode(client.user.rawValue))/session_key",
      headers: [
        HTTPField("content-type", "application/json"), HTTPField("app-id", applicationID),
        HTTPField("access-token", token.token),
      ], body: body)
  }

  func key(in response: HTTPResponse) -> SessionKeyAnswer? {
    response.body.withUnsafeBytes { bytes in
      guard let body = try? JSONObject(bytes) else { return nil }
      guard response.status == 200 else {
        return (try? body.number("code")).flatMap { Int(exactly: $0) }.map { .refused(number: $0) }
      }
      let key = try? body.string("key", bytes: 1...Int.max)
      let renamed = kind == .unity ? try? body.string("new_key", bytes: 1...Int.max) : nil
      return (key ?? renamed).map { .key(Credentials(token: $0)) }
    }
  }
}
