import GatewayKit

/// The form of a flag's value, as the flag's declaration gives it. It decides what a shell offers, e.g. files for a `FILE`.
enum ValueForm: Equatable {
  /// No value: the flag is a switch.
  case none
  case choice([String])
  case file
  /// `NAME=FILE`.
  case namedFile
  case directory
  /// A file, or the name of a description that ships with postern. The command line in the associated value prints the names.
  case shipped(String)
  /// A value that no shell can complete, e.g. a number.
  case other

  static let wireNames = "postern wire list --names 2>/dev/null"
  static let tokenNames = "postern wire list --names --tokens 2>/dev/null"

  init(_ flag: Flag) {
    switch flag.value {
    case nil: self = .none
    case "FILE": self = .file
    case "DIR": self = .directory
    case "FILE|NAME"?: self = .shipped(flag.name == "tokens" ? Self.tokenNames : Self.wireNames)
    case let value? where value.hasSuffix("=FILE"): self = .namedFile
    case let value? where value.contains("|"): self = .choice(value.split(separator: "|").map(String.init))
    case _?: self = .other
    }
  }
}
