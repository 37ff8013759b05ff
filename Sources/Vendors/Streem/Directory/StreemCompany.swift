internal import GatewayCore
internal import GatewayKit

/// A customer of the Streem platform, with API keys and users.
struct StreemCompany: Hashable, StoreValue {
  /// The name in URLs and calls: letters, digits and `-`, in lower case.
  var code: Name
  /// `co_` and 22 letters and digits.
  var sid: String
  var name: String
  var isActive = true
  /// The URL of a logo, which is only passed on.
  var logoURL: String?

  /// The maximum length of a code in bytes.
  static let codeLengthMax = 63

  /// Returns whether `code` is valid: it becomes a label of a host name.
  static func isCode(_ code: String) -> Bool {
    (1...codeLengthMax).contains(code.utf8.count) && code.utf8.first != UInt8(ascii: "-")
      && code.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

/// The public half of a key with which a company's server signs Streem Tokens.
struct StreemAPIKey: Hashable, StoreValue {
  /// The id: `api_` and 22 letters and digits if the gateway created it.
  var id: Name
  /// The public key as a JSON Web Key (RFC 7517).
  var publicKey: [UInt8]
  /// The company's code.
  var company: Name
  /// The SHA-256 of the secret, for HTTP Basic; nil for a key without one.
  var secretHash: [UInt8]?
  var createdAt: WallTime
  var isRevoked = false
}
