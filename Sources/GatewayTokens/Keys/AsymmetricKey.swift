internal import COpenSSL

/// A public or private key in OpenSSL, of a supported kind and size.
final class AsymmetricKey: @unchecked Sendable {
  // Unchecked, because the key is a C pointer; it is not changed after init, and OpenSSL allows concurrent use of a key.
  let pointer: OpaquePointer
  let kind: Kind

  /// The kind of key, with its size, e.g. RSA of 2048 bits.
  enum Kind: Hashable, Sendable {
    case rsa(bits: Int), rsaPSS(bits: Int), p256, p384, ed25519

    /// The algorithms that keys of this kind can be used with.
    var algorithms: AlgorithmSet {
      switch self {
      case .rsa: AlgorithmSet.rsa.union(.rsaPSS)
      case .rsaPSS: .rsaPSS
      case .p256: AlgorithmSet([.es256])
      case .p384: AlgorithmSet([.es384])
      case .ed25519: AlgorithmSet([.eddsa])
      }
    }

    var name: String {
      switch self {
      case .rsa(let bits): "a \(bits) bit RSA key"
      case .rsaPSS(let bits): "a \(bits) bit RSA-PSS key"
      case .p256: "a P-256 key"
      case .p384: "a P-384 key"
      case .ed25519: "an Ed25519 key"
      }
    }
  }

  /// Takes ownership of `pointer`, also when it throws.
  init(taking pointer: OpaquePointer) throws(KeyError) {
    do throws(KeyError) {
      kind = try Self.kind(of: pointer)
    } catch {
      EVP_PKEY_free(pointer)
      throw error
    }
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  private static func kind(of key: OpaquePointer) throws(KeyError) -> Kind {
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA: return .rsa(bits: try modulusBits(key))
    case EVP_PKEY_RSA_PSS: return .rsaPSS(bits: try modulusBits(key))
    case EVP_PKEY_ED25519: return .ed25519
    case EVP_PKEY_EC:
      let group = groupName(key)
      switch group {
      case "prime256v1", "P-256": return .p256
      case "secp384r1", "P-384": return .p384
      default: throw .unsupported("the curve \(group ?? "without a name")")
      }
    default:
      throw .unsupported("a key of type \(String(cString: EVP_PKEY_get0_type_name(key)))")
    }
  }

  private static func modulusBits(_ key: OpaquePointer) throws(KeyError) -> Int {
    let bits = Int(EVP_PKEY_get_bits(key))
    guard (2048...16384).contains(bits) else { throw .modulusSize(bits: bits) }
    return bits
  }

  private static func groupName(_ key: OpaquePointer) -> String? {
    var name = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, nil) == 1 else {
      ERR_clear_error()
      return nil
    }
    return name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
