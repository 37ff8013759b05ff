import GatewayKit

/// The secrets that descriptions name and files hold, e.g. `--template-secret key=key.txt` for `{{secret.key}}`.
enum TemplateSecrets {
  /// Reads the secrets of `--template-secret NAME=FILE`, each for `{{secret.NAME}}`.
  static func read(_ values: [Arguments.Value]) throws -> [String: String] {
    var secrets: [String: String] = [:]
    for value in values {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(value.source, value: value.text, expected: "NAME=FILE, for {{secret.NAME}} in a description")
      }
      guard secrets.updateValue(try SecretFile.read(parts[1], of: value), forKey: parts[0]) == nil else {
        throw UsageError("\(value.source): there are two secrets '\(parts[0])'")
      }
    }
    return secrets
  }
}
