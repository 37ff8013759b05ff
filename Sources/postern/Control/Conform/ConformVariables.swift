/// The variables that a conformance run sets for its client. The client may be `postern connect`, so every command accepts
/// them besides the variables of its flags.
enum ConformVariables {
  static let url = "POSTERN_URL"
  static let httpURL = "POSTERN_HTTP_URL"
  static let tokenURL = "POSTERN_TOKEN_URL"
  static let user = "POSTERN_USER"
  static let token = "POSTERN_TOKEN"
  static let tokenScheme = "POSTERN_TOKEN_SCHEME"
  static let apiKey = "POSTERN_API_KEY"

  static let all = [url, httpURL, tokenURL, user, token, tokenScheme, apiKey]
}
