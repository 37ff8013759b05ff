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
      return try WireDescription(try DescriptionFile.read(NamedFile.path(value.text, in: folder), of: value.source))
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
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
