internal import GatewayCore
internal import GatewayJSON

extension DescribedTokenEndpoint {
  /// Returns advice about a failed connection; `reason` is its name in the report.
  func advice(_ reason: String, _ detail: String, _ request: TokenRequest) -> String {
    let what = "\(title(of: request)) to \(description.places[request.place]?.text ?? "--provider")"
    return "\(what): \(Self.mend(reason) ?? detail + (isTLSLikely(reason, detail, request) ? Self.tlsHint : ""))"
  }

  /// Returns whether a server probably expects TLS: it closed a plain-text connection without an answer.
  private func isTLSLikely(_ reason: String, _ detail: String, _ request: TokenRequest) -> Bool {
    guard reason == "unreachable", description.places[request.place]?.isTLS != true else { return false }
    return detail.hasPrefix("receive") || detail.contains(bytesOf: "ended before")
  }

  private static let tlsHint = "; if it wants TLS, \"url\" or --provider with https://"

  /// Returns advice about a request that got a status instead of a token; nil if the status says nothing about the
  /// request, or was expected.
  func advice(_ response: HTTPResponse, _ body: JSONView?, _ request: TokenRequest) -> String? {
    guard !request.wish.isHopeless, let mend = mend(response, request) else { return nil }
    return "\(title(of: request)) answered \(response.status): \(mend)\(unread(body))"
  }

  private func mend(_ response: HTTPResponse, _ request: TokenRequest) -> String? {
    let call = request.isRenewal == true ? "renew" : "request"
    switch response.status {
    // The page that nginx, Go and others return to plain text on a TLS port.
    case 400 where description.places[request.place]?.isTLS != true && speaksOfHTTPS(response.body):
      return "it wants TLS; \"url\" or --provider with https://"
    case 400, 415, 422:
      return "it makes nothing of what it is sent; \"json\", \"form\" or \"text\" of \"\(call)\" is what it wants"
    case 401, 403:
      return "it does not know who asks, or gives them none; \"headers\" and the body of \"\(call)\" say who asks"
    case 404, 410: return "nothing is there; \"url\" of \"\(call)\" names where tokens are given"
    case 405:
      let allowed = response.header("allow").map { " (it takes \(ReportLabel.cleaned($0)))" } ?? ""
      return "it wants another method than \(request.http.method)\(allowed); \"method\" of \"\(call)\""
    default: return nil
    }
  }

  /// Returns whether the page mentions HTTPS, except in `https://` of a link or of a problem's type.
  private func speaksOfHTTPS(_ page: [UInt8]) -> Bool {
    let (page, word) = (page.prefix(Self.pageMax), Array("HTTPS".utf8))
    return page.indices.contains { page[$0...].starts(with: word) }
  }

  /// How much of a page is searched, in bytes.
  private static let pageMax = 2_048

  /// Returns the rest of the answer if the description does not say where the error is.
  private func unread(_ body: JSONView?) -> String {
    guard description.answer.error == nil, let members = body?.members, !members.isEmpty else { return "" }
    return "; its answer has \(TokenPlace.names(members.map(\.name))), which \"error\" of \"answer\" may point at"
  }

  /// Returns advice about a token that had expired when it came; nil if the request decided that.
  func late(_ end: WallTime, at now: WallTime, _ request: TokenRequest) -> String? {
    guard end <= now, !takesEnds, !request.wish.isHopeless else { return nil }
    let seconds = ((now - end).inSeconds * 10).rounded() / 10
    return "\(title(of: request)) gave a token that had ended \(seconds) s before it came: look at its clock, and at "
      + "\"end\" of \"answer\""
  }

  private static func mend(_ reason: String) -> String? {
    switch reason {
    case "tls_certificate_untrusted":
      "the system trusts no authority that signed its certificate; \"tls\": {\"ca\": \"FILE\"} in the description names who "
        + "has, --insecure takes any"
    case "tls_certificate_wrong_name":
      "its certificate is for another name; \"url\" or --provider is to name the host as the certificate does"
    case "tls_certificate_expired": "its certificate has expired; renew it, or --insecure"
    case "tls_certificate_not_yet_valid": "its certificate is not valid yet; look at the clocks, or --insecure"
    case "tls_certificate_bad": "its certificate is no good; --insecure takes it all the same"
    case "tls_peer_speaks_plain_text": "it speaks no TLS there; \"url\" or --provider with http://"
    case "peer_wants_tls": "it wants TLS; \"url\" or --provider with https://"
    case "tls_client_certificate_refused":
      "it wants a certificate of its clients, or another one; \"tls\": {\"certificate\": \"FILE\", \"key\": \"FILE\"} in the "
        + "description names it"
    case "tls_handshake_failed":
      "TLS failed before a request was made; if it wants a certificate of its clients, \"tls\": {\"certificate\": "
        + "\"FILE\", \"key\": \"FILE\"} in the description names it"
    default: nil
    }
  }
}
