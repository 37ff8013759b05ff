import GatewayKit

/// The form of a flag's value, as far as the flag's declaration says: for a `FILE` a shell can offer files, for
/// instance.
enum ValueForm: Equatable {
  /// The flag is a switch.
  case none
  case choice([String])
  case file
  /// `NAME=FILE`.
  case namedFile
  case directory
  /// Something nobody can guess, e.g. a number.
  case other

  init(_ flag: Flag) {
    switch flag.value {
    case nil: self = .none
    case "FILE": self = .file
    case "DIR": self = .directory
    case let value? where value.hasSuffix("=FILE"): self = .namedFile
    case let value? where value.contains("|"): self = .choice(value.split(separator: "|").map(String.init))
    case _?: self = .other
    }
  }
}
