internal import GatewayCore

/// How long an answer may be used, by `Cache-Control` and `Age` (RFC 9111 sections 5.1 and 5.2).
enum Freshness {
  /// Returns the remaining life of an answer; nil if it does not say. An answer that may not be stored has none left.
  static func read(_ response: HTTPResponse) -> Duration? {
    let fields = response.headers.filter { $0.name == "cache-control" }
    guard !fields.isEmpty else { return nil }
    var age: Int?
    for directive in fields.flatMap({ $0.value.utf8.split(separator: UInt8(ascii: ",")) }) {
      let text = String(Substring(directive)).filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
      if text == "no-store" || text == "no-cache" { return .zero }
      guard text.utf8.starts(with: "max-age=".utf8) else { continue }
      // The shorter of the two counts.
      guard let seconds = seconds(text.utf8.dropFirst("max-age=".utf8.count)) else { return .zero }
      age = min(age ?? .max, seconds)
    }
    guard let age else { return nil }
    let spent = response.header("age").flatMap { seconds($0.utf8) } ?? 0
    return .seconds(max(0, age - spent))
  }

  /// Returns a number of seconds, at most ten years; nil for other text.
  private static func seconds(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int(String(decoding: digits.prefix(10), as: UTF8.self)) ?? 0, 315_360_000)
  }
}
