internal import CLibWebSockets
internal import GatewayRuntime

extension TLSFailure {
  /// Converts the library's result; nil for a handshake that succeeded.
  init?(_ end: postern_tls_end) {
    switch end {
    case postern_tls_done: return nil
    case postern_tls_plain_text: self = .plainText
    case postern_tls_untrusted: self = .untrusted
    case postern_tls_wrong_name: self = .wrongName
    case postern_tls_expired: self = .expired
    case postern_tls_not_yet_valid: self = .notYetValid
    case postern_tls_bad_certificate: self = .badCertificate
    case postern_tls_client_unwelcome: self = .clientUnwelcome
    default: self = .handshake
    }
  }
}
