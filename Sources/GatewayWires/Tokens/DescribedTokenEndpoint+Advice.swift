internal import GatewayCore

extension DescribedTokenEndpoint {
  /// What leads to the mend of a connection that did not come about; `reason` is what the report calls it.
  func advice(_ reason: String, _ detail: String, _ request: TokenRequest) -> String {
    let what = "\(title(of: request)) to \(description.places[request.place]?.text ?? "--provider")"
    return "\(what): \(Self.mend(reason) ?? detail)"
  }

  private static func mend(_ reason: String) -> String? {
    switch reason {
    case "tls_certificate_untrusted":
      "nobody whom the system trusts has signed its certificate; \"tls\": {\"ca\": \"FILE\"} in the description names who "
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
