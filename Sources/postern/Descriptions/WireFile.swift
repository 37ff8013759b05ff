import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayTokens
import GatewayWires

/// The description of a wire that a flag or an operand names: a file, or the name of one that comes with postern,
/// `centrifugo` for instance.
enum WireFile {
  /// Where those that come with postern are, below the folder in which it is called.
  private static let folder = "Deploy/wires"

  /// Throws a ``UsageError`` that says what is wrong with the file, and where.
  static func read(_ value: Arguments.Value) throws -> WireDescription {
    do {
      return try WireDescription(try DescriptionFile.read(path(value), of: value))
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }

  /// Where the file is. An order's text is no path, and is not looked for.
  private static func path(_ value: Arguments.Value) -> String {
    value.files == .local ? NamedFile.path(value.text, in: folder) : value.text
  }

  /// Where the description of that name is that comes with postern; nil if there is none.
  static func shipped(_ name: String) -> String? {
    let letters = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    let path = letters && !name.isEmpty ? NamedFile.path(name, in: folder) : name
    return path == name ? nil : path
  }

  /// The description as a gateway plays it, with tokens of the plain scheme. Throws a ``UsageError`` if it does not say what a
  /// gateway has to say.
  static func served(
    _ wire: WireDescription, _ arguments: Arguments, _ verifier: JWTVerifier
  ) throws -> ServedSettings {
    guard wire.path != PlainDialect.path else {
      throw UsageError("--wire: \(PlainDialect.path) is the plain dialect's own; \"connect\" wants another path")
    }
    do {
      return try ServedSettings(wire, secrets: try TemplateSecrets.read(arguments)) { ground in
        PlainAuthenticator(
          verifier: verifier,
          directory: PlainDirectory(
            ground.store, limits: PlainDirectoryLimits(), generator: SeededGenerator(seed: ground.seed)))
      }
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }
}
