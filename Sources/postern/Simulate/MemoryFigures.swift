import FoundationEssentials

/// The system's figures of its memory: how many bytes can be taken before others suffer, for instance.
enum MemoryFigures {
  /// How many bytes can be taken before others suffer; nil where the system does not say.
  static var available: UInt64? {
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let words = line.split(separator: " ")
      return words.count > 1 ? UInt64(words[1]).map { $0 * 1024 } : nil
    }
    return nil
  }
}
