internal import GatewayCore
internal import GatewayJSON
internal import Glibc

/// The headers that nearly all tokens for a set of keys have, decoded and checked beforehand: libraries write the same
/// two or three members in one of a few orders. Recognising one costs a comparison of bytes, where decoding and reading
/// it anew costs half as much as checking an HMAC. Any other header takes the long way. `{"alg":"HS256","typ":"JWT"}`
/// is one, for instance.
struct UsualHeaders: Sendable {
  private static let countMax = 64

  private typealias Entry = (text: [UInt8], header: JWTHeader)

  private let entries: [Entry]

  /// The usual headers for `keys`, those left out that a verifier which expects `type` refuses.
  init(keys: KeySet, type: String?) {
    var entries: [Entry] = []
    for key in keys.keys {
      for algorithm in key.algorithms.algorithms {
        let own =
          key.id == nil && type == nil
          ? Self.ofNameless[algorithm] ?? [] : Self.entries(algorithm, keyID: key.id, type: type)
        entries += own.prefix(Self.countMax - entries.count)
      }
    }
    self.entries = entries
  }

  /// Those of keys without a name, which most secrets are: made once for all the gateways of a process.
  private static let ofNameless = [JWTAlgorithm: [Entry]](
    uniqueKeysWithValues: JWTAlgorithm.allCases.map { ($0, entries($0, keyID: nil, type: nil)) })

  private static func entries(_ algorithm: JWTAlgorithm, keyID: String?, type: String?) -> [Entry] {
    texts(algorithm, keyID: keyID).compactMap { text in
      guard let root = try? JSONDocument.parse(text).root, let header = try? JWTHeader(root, type: type) else {
        return nil
      }
      return (Array(Base64URL.encode(Array(text.utf8)).utf8), header)
    }
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
