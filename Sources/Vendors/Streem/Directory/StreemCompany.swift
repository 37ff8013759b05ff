package import GatewayCore
internal import GatewayKit

/// A customer of the Streem platform, with API keys and users.
package struct StreemCompany: Hashable, StoreValue {
  /// The name in URLs and calls: letters, digits and `-`, in lower case.
  package var code: Name
  /// `co_` and 22 letters and digits.
  package var sid: String
  package var name: String
  package var isActive: Bool
  /// The URL of a logo, which is only passed on.
  package var logoURL: String?

  package init(code: Name, sid: String, name: String, isActive: Bool = true, logoURL: String? = nil) {
    self.code = code
    self.sid = sid
    self.name = name
    self.isActive = isActive
    self.logoURL = logoURL
  }

  /// The maximum length of a code in bytes.
  package static let codeLengthMax = 63

  /// Returns whether `code` is valid: it becomes a label of a host name.
  package static func isCode(_ code: String) -> Bool {
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
package struct StreemAPIKey: Hashable, StoreValue {
  /// The id: `api_` and 22 letters and digits if the gateway created it.
  package var id: Name
  /// The public key as a JSON Web Key (RFC 7517).
  package var publicKey: [UInt8]
  /// The company's code.
  package var company: Name
  /// The SHA-256 of the secret, for HTTP Basic; nil for a key without one.
  package var secretHash: [UInt8]?
  package var createdAt: WallTime
  package var isRevoked: Bool

  package init(
    id: Name, publicKey: [UInt8], company: Name, secretHash: [UInt8]?, createdAt: WallTime, isRevoked: Bool = false
  ) {
    self.id = id
    self.publicKey = publicKey
    self.company = company
    self.secretHash = secretHash
    self.createdAt = createdAt
    self.isRevoked = isRevoked
  }
}
