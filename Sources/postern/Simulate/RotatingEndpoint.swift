import GatewayFleet
import GatewayRuntime
import GatewayWires

/// The built-in provider with rotating refresh tokens as a description of a token endpoint, for simulated storms. Storms
/// over sockets use `Deploy/tokens/postern-rotating.json`, which says the same for tokens of the gateway's own dialect.
enum RotatingEndpoint {
  /// Returns the source of tokens.
  ///
  /// - Parameters:
  ///   - scheme: The scheme of the tokens.
  ///   - target: The address of the provider.
  static func tokens(scheme: String, at target: DialTarget) throws -> TokenSource {
    let text = """
      {
        "tokens": 1, "name": "postern-rotating", "users": { "template": "storm-{{number}}" },
        "request": {
          "url": "/v1/tokens",
          "json": { "user_id": "{{user}}", "scheme": "\(scheme)", "expires_at": "{{end_s:number}}" }
        },
        "renew": {
          "url": "/v1/tokens",
          "json": { "refresh_token": "{{taken.refresh_token}}", "expires_at": "{{end_s:number}}" }
        },
        "answer": { "token": "/token", "take": { "refresh_token": "/refresh_token" }, "end": "jwt", "error": "/error" }
      }
      """
    let description = try TokenDescription(try DescriptionFile.parse(Array(text.utf8), file: "postern-rotating"))
    return .endpoint(DescribedTokenEndpoint(description), places: [target])
  }
}
