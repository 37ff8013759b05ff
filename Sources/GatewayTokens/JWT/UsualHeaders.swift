internal import GatewayJSON
internal import Glibc

/// The headers that nearly all tokens for a set of keys have, decoded and checked beforehand: libraries write the same
/// two or three members in one of a few orders. Recognising one costs a comparison of bytes, where decoding and reading
/// it anew costs half as much as checking an HMAC. Any other header takes the long way.
struct UsualHeaders: Sendable {
  private static let countMax = 64

  private let entries: [(text: [UInt8], header: JWTHeader)]

  /// The usual headers for `keys`, those left out that a verifier which expects `type` refuses.
  init(keys: KeySet, type: String?) {
    var entries: [(text: [UInt8], header: JWTHeader)] = []
    for key in keys.keys {
      for algorithm in key.algorithms.algorithms {
        for text in Self.texts(algorithm, keyID: key.id) where entries.count < Self.countMax {
          guard let root = try? JSONDocument.parse(text).root, let header = try? JWTHeader(root, type: type) else {
            continue
          }
          entries.append((Array(Base64URL.encode(Array(text.utf8)).utf8), header))
        }
      }
    }
    self.entries = entries
  }

  /// The header that `segment`, still encoded, is; nil if it is none of the usual.
  subscript(_ segment: UnsafeRawBufferPointer) -> JWTHeader? {
    for entry in entries where entry.text.count == segment.count {
      if memcmp(entry.text, segment.baseAddress!, segment.count) == 0 { return entry.header }
    }
    return nil
  }

  private static func texts(_ algorithm: JWTAlgorithm, keyID: String?) -> [String] {
    let alg = "\"alg\":\"\(algorithm.name)\""
    let typ = "\"typ\":\"JWT\""
    var orders = [[alg, typ], [typ, alg], [alg]]
    if let keyID {
      var writer = JSONWriter()
      writer.name("kid")
      writer.string(keyID)
      let kid = writer.text
      orders =
        [[alg, typ, kid], [alg, kid, typ], [kid, typ, alg], [kid, alg], [alg, kid], [typ, alg, kid]] + orders
    }
    return orders.map { "{\($0.joined(separator: ","))}" }
  }
}
