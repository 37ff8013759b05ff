import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayTokens
import GatewayWires

/// The description of a wire that a flag or an operand names: a file, or the name of a shipped one, e.g. `centrifugo`; see
/// ``ShippedFiles``.
enum WireFile {
  /// Reads a description. Throws a ``UsageError`` with the fault in the file and its place.
  static func read(_ value: Arguments.Value) throws -> WireDescription {
    do {
      return try WireDescription(try DescriptionFile.read(path(value), of: value))
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }

  /// Returns the path of the file. The text of an order over HTTP is no path, and is not looked up.
  private static func path(_ value: Arguments.Value) throws -> String {
    value.files == .local ? try ShippedFiles.wires.path(value) : value.text
  }

  /// Returns the path of the shipped description of that name; nil if there is none.
  static func shipped(_ name: String) -> String? {
    guard ShippedFiles.isName(name) else { return nil }
    return ShippedFiles.wires.all.first { $0.name.utf8.elementsEqual(name.utf8) }?.path
  }

  /// Returns the description's settings for a gateway, with tokens of the plain scheme. Throws a ``UsageError`` if the
  /// description lacks something that a gateway needs.
  ///
  /// - Parameters:
  ///   - wire: The description.
  ///   - secrets: The values of `--template-secret`.
  ///   - verifier: The verifier of the plain scheme.
  ///   - own: The judges of the application's own login, if there are any.
  static func served(
    _ wire: WireDescription, secrets: [Arguments.Value], _ verifier: JWTVerifier, own: OwnKeys? = nil
  ) throws -> ServedSettings {
    guard wire.path != PlainDialect.path else {
      throw UsageError("--wire: \(PlainDialect.path) is the plain dialect's own; \"connect\" wants another path")
    }
    do {
      return try ServedSettings(wire, secrets: try TemplateSecrets.read(secrets)) { ground in
        PlainAuthenticator(
          verifier: verifier,
          directory: PlainDirectory(
            ground.store, limits: PlainDirectoryLimits(), generator: SeededGenerator(seed: ground.seed)),
          issuerKeys: own?.issuerKeys, introspector: own?.introspector)
      }
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }
}
