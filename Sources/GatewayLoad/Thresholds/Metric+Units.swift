internal import GatewayCore

extension Metric.Unit {
  /// What may follow the number in a threshold, and what the number is multiplied by.
  var suffixes: [String: Double] {
    switch self {
    case .count, .ratio: ["": 1]
    case .share: ["%": 0.01, "": 1]
    case .duration: ["ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60]
    case .bytes: ["": 1, "B": 1, "KB": 1e3, "MB": 1e6, "KiB": 1024, "MiB": 1_048_576]
    }
  }

  var wanted: String {
    switch self {
    case .count: "a number, e.g. 0"
    case .ratio: "a number, e.g. 1.5"
    case .share: "a percentage, e.g. 99.9%"
    case .duration: "a duration, e.g. 500ms (ns, us, ms, s, m)"
    case .bytes: "a size, e.g. 6KB (B, KB, MB, KiB, MiB)"
    }
  }

  /// A value for people to read.
  package func text(_ value: Double) -> String {
    switch self {
    case .count: Figures.count(Int(value))
    case .ratio: Figures.decimal(value, places: 2)
    case .share: Figures.percent(value)
    case .duration: Figures.duration(.nanoseconds(Int64(value * 1e9)))
    case .bytes: Figures.bytes(value)
    }
  }
}
