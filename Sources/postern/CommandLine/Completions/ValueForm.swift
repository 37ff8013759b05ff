import GatewayKit

/// The form of a flag's value, by its declaration: a shell offers files for a `FILE`.
enum ValueForm: Equatable {
  /// The flag is a switch.
  case none
  case choice([String])
  case file
  /// `NAME=FILE`.
  case namedFile
  case directory
  /// A file, or the name of a description that comes with postern; this command line prints the names.
  case shipped(String)
  /// Something nobody can guess, e.g. a number.
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
