package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

extension PlainDialect {
  /// Returns `{"error": {…}}`, with the challenge of RFC 6750 section 3 if a token is missing or invalid.
  package func response(for error: GatewayError) -> HTTPResponse {
    var response = HTTPResponse(status: error.httpStatus, json: JSONWriter.object { $0.member("error", error) })
    if error.httpStatus == 401 {
      let isMissing = error.isSame(as: .credentialsMissing)
      response.headers.append(
        HTTPField(
          "www-authenticate",
          isMissing ? #"Bearer realm="postern""# : #"Bearer realm="postern", error="invalid_token""#))
    }
    return response
  }
}
