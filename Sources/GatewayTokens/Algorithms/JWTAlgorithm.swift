internal import GatewayJSON

/// A signature algorithm that the gateway supports (RFC 7518 section 3.1, RFC 8037 section 3.1). `none` and ES512 are not
/// supported.
package enum JWTAlgorithm: UInt8, Hashable, Sendable, CaseIterable {
  case hs256, hs384, hs512
  case rs256, rs384, rs512
  case ps256, ps384, ps512
  case es256, es384
  case eddsa

  /// The family of keys that an algorithm works with, e.g. `ecdsa` for ES256.
  enum Family: Hashable, Sendable {
    case hmac, rsa, rsaPSS, ecdsa, eddsa
  }

  /// The name in the header's `alg`.
  package var name: String {
    switch self {
    case .hs256: "HS256"
    case .hs384: "HS384"
    case .hs512: "HS512"
    case .rs256: "RS256"
    case .rs384: "RS384"
    case .rs512: "RS512"
    case .ps256: "PS256"
    case .ps384: "PS384"
    case .ps512: "PS512"
    case .es256: "ES256"
    case .es384: "ES384"
    case .eddsa: "EdDSA"
    }
  }

  /// Finds the algorithm of that name, which is case-sensitive (RFC 7515 section 4.1.1).
  package init?(name: String) {
    guard let algorithm = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = algorithm
  }

  /// Finds the algorithm of a header's `alg`, without a copy.
  init?(name: JSONView) {
    let found: JWTAlgorithm?? = name.withUTF8 { bytes in
      Self.allCases.first { $0.name.utf8.elementsEqual(bytes) }
    }
    guard let found, let found else { return nil }
    self = found
  }

  var family: Family {
    switch self {
    case .hs256, .hs384, .hs512: .hmac
    case .rs256, .rs384, .rs512: .rsa
    case .ps256, .ps384, .ps512: .rsaPSS
    case .es256, .es384: .ecdsa
    case .eddsa: .eddsa
    }
  }

  /// The hash of the signed bytes. Ed25519 hashes by itself; its entry is not used.
  var hash: SHA2 {
    switch self {
    case .hs256, .rs256, .ps256, .es256: .sha256
    case .hs384, .rs384, .ps384, .es384: .sha384
    case .hs512, .rs512, .ps512, .eddsa: .sha512
    }
  }
}

/// A set of algorithms, e.g. the ones that a key may be used with.
package struct AlgorithmSet: OptionSet, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package init(_ algorithms: [JWTAlgorithm]) {
    rawValue = algorithms.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
  }

  package func contains(_ algorithm: JWTAlgorithm) -> Bool {
    rawValue & 1 << UInt16(algorithm.rawValue) != 0
  }

  /// The algorithms in the order of `JWTAlgorithm.allCases`.
  package var algorithms: [JWTAlgorithm] { JWTAlgorithm.allCases.filter { contains($0) } }

  package var description: String { algorithms.map(\.name).joined(separator: ", ") }

  package static let hmac = AlgorithmSet([.hs256, .hs384, .hs512])
  package static let rsa = AlgorithmSet([.rs256, .rs384, .rs512])
  package static let rsaPSS = AlgorithmSet([.ps256, .ps384, .ps512])
}
