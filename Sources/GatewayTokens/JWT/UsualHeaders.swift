internal import GatewayCore
internal import GatewayJSON
internal import Glibc

/// The usual headers of tokens for a set of keys, decoded and checked in advance, e.g. `{"alg":"HS256","typ":"JWT"}`.
///
/// Libraries write the same two or three members in one of a few orders. To recognise such a header costs a comparison of
/// bytes; to decode and read it costs half as much as checking an HMAC. Any other header is decoded.
struct UsualHeaders: Sendable {
  private static let countMax = 64

  private typealias Entry = (text: [UInt8], header: JWTHeader)

  private let entries: [Entry]

  /// Prepares the usual headers for `keys`, except the ones that a verifier with the expected `type` rejects.
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

  /// The headers of keys without a name, as most secrets are. They are made once for all gateways of a process.
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

  /// The header that `segment`, still encoded, contains; nil if it is not a usual one.
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
