internal import GatewayCore
internal import GatewayKit

/// The lines of an object's members, with their comments and commas.
struct ScenarioLines {
  private(set) var lines: [String] = []
  /// The last line of the last member, which gets a comma if another follows.
  private var last: Int?
  private let indent: String

  private static let columnsMax = 116

  init(indent: String) { self.indent = indent }

  /// Adds a comment.
  mutating func note(_ sentence: String) {
    var line = ""
    for word in sentence.split(separator: " ") {
      if !line.isEmpty, indent.utf8.count + line.utf8.count + word.utf8.count > Self.columnsMax {
        lines.append("\(indent)// \(line)")
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    lines.append("\(indent)// \(line)")
  }

  /// Adds a member.
  mutating func member(_ name: String, _ value: String) { member(["\(indent)\"\(name)\": \(value)"]) }

  /// Adds a member that is an array, in as many lines as necessary.
  mutating func member(_ name: String, _ elements: [String]) {
    var all = ["\(indent)\"\(name)\": ["]
    for (index, element) in elements.enumerated() {
      let text = index + 1 < elements.count ? element + "," : element + "]"
      let lastLine = all[all.count - 1]
      if lastLine.utf8.count + text.utf8.count > Self.columnsMax {
        all.append("\(indent)  \(text)")
      } else {
        all[all.count - 1] += (index == 0 ? "" : " ") + text
      }
    }
    member(all)
  }

  /// Adds a member that has lines already.
  mutating func member(_ member: [String]) {
    if let last { lines[last] += "," }
    lines += member
    last = lines.count - 1
  }
}

/// Numbers of a scenario.
enum ScenarioNumber {
  /// The longest time in a scenario, in milliseconds: thirty days.
  static let timeMax: Int64 = 2_592_000_000

  /// Returns `1 client` or `2 clients`.
  static func clients(_ count: Int) -> String { count == 1 ? "1 client" : "\(count) clients" }

  /// Returns a number that is not negative, with at most so many digits behind the point.
  static func decimal(_ number: Double, _ places: Int) -> String {
    var unit: Int64 = 1
    for _ in 0..<places { unit *= 10 }
    let scaled = (number * Double(unit)).rounded()
    guard scaled.isFinite, scaled > 0 else { return "0" }
    let whole = Int64(min(scaled, 9e15))
    var digits = String(whole % unit + unit).dropFirst()
    while digits.last == "0" { digits = digits.dropLast() }
    return digits.isEmpty ? "\(whole / unit)" : "\(whole / unit).\(digits)"
  }

  /// Returns a rate, with more digits if it is small.
  static func rate(_ rate: Double) -> String { decimal(rate, rate < 1 ? 9 : 4) }

  /// Returns milliseconds in seconds.
  static func seconds(_ milliseconds: Int64) -> String { decimal(Double(milliseconds) / 1_000, 3) }

  /// Returns pairs of seconds and a share whose shares come to 1. `steps` are in milliseconds, ascending.
  static func shares(_ steps: [(upTo: Int64, share: Double)]) -> [String] {
    // In hundred thousandths. The largest share takes what rounding leaves.
    let one = 100_000.0
    var shares = steps.map { Int64(($0.share * one).rounded()) }
    if let largest = shares.indices.max(by: { shares[$0] < shares[$1] }) {
      shares[largest] += Int64(one) - shares.reduce(0, +)
    }
    return zip(steps, shares).map { "[\(seconds($0.upTo)), \(decimal(Double($1) / one, 5))]" }
  }
}
