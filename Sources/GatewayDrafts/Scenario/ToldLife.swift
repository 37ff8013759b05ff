internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A token's life as a message of the gateway tells it, e.g. `"expires_in": 3600`.
enum ToldLife {
  /// A longer message is not searched.
  private static let textMax = 1 << 16
  /// The longest life in milliseconds: thirty days.
  private static let lifeMax = 2_592_000_000.0

  /// Returns the first life in a message of JSON, also behind a short prefix as `42`, in milliseconds; nil for none.
  static func find(in text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count <= textMax, let start = bytes.firstIndex(where: { $0 == 0x7b || $0 == 0x5b }), start <= 16,
      let document = try? JSONDocument.parse(Array(bytes[start...]), sizeMax: textMax)
    else { return nil }
    var life: Int64?
    _ = JSONTree(document.root).mapped { pointer, value in
      if life == nil, case .number(let text) = value { life = read(pointer.lowercased(), Double(text)) }
      return value
    }
    return life
  }

  /// Returns the life that the number of that name is. Numbers that are times of day are none.
  private static func read(_ pointer: String, _ number: Double?) -> Int64? {
    guard let number, let name = pointer.split(separator: "/").last else { return nil }
    let isMilliseconds = name.hasSuffix("_ms")
    let unit = ["_ms", "_seconds", "_s"].first { name.hasSuffix($0) }
    let stem = name.dropLast(unit?.count ?? 0)
    guard DraftHoles.lifeWords.contains(where: { stem.hasSuffix($0) }) else { return nil }
    let milliseconds = isMilliseconds ? number : number * 1_000
    return milliseconds >= 1 && milliseconds <= lifeMax ? Recording.time(milliseconds) : nil
  }
}
