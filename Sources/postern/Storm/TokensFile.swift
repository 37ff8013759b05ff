import FoundationEssentials
import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewayWires

/// The description of a token endpoint that `--tokens` names: a file, or the name of one that comes with postern.
enum TokensFile {
  /// Where those that come with postern are, below the folder in which it is called.
  private static let folder = "Deploy/tokens"

  /// Nil if no flag names one. Throws a ``UsageError`` that says what is wrong with the file, and where.
  static func read(_ arguments: Arguments) throws -> TokenDescription? {
    guard let value = arguments.value("tokens") else { return nil }
    do {
      return try TokenDescription(
        try DescriptionFile.read(NamedFile.path(value.text, in: folder), of: value.source),
        secrets: try secrets(arguments))
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }

  /// What `--template-secret NAME=FILE` gives, each for `{{secret.NAME}}`.
  static func secrets(_ arguments: Arguments) throws -> [String: String] {
    var secrets: [String: String] = [:]
    for value in arguments.values("template-secret") {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(value.source, value: value.text, expected: "NAME=FILE, for {{secret.NAME}} in a description")
      }
      guard secrets.updateValue(try SecretFile.read(parts[1], of: value.source), forKey: parts[0]) == nil else {
        throw UsageError("\(value.source): there are two secrets '\(parts[0])'")
      }
    }
    return secrets
  }

  /// Where the requests go. Throws if a path stands below an address that nobody named, or a file of TLS is no good.
  static func places(
    _ tokens: TokenDescription, below provider: StormAddress?, isInsecure: Bool
  ) throws -> [DialTarget] {
    let identity = tokens.tls.map {
      TLSIdentity(caPath: $0.ca, certificatePath: $0.certificate, keyPath: $0.key)
    }
    do {
      try identity?.check()
    } catch {
      throw UsageError("--tokens: \"tls\": \(error)")
    }
    return try tokens.places.map { place in
      guard var target = place.map({ DialTarget(host: $0.host, port: $0.port, isTLS: $0.isTLS) }) ?? provider?.target
      else { throw UsageError("--provider is needed: the description has paths, which stand below its address") }
      target.allowsUntrustedCertificate = isInsecure
      if target.isTLS { target.identity = identity }
      target.keepsConnections = tokens.keepsConnections
      return target
    }
  }
}

/// A file that a flag names by its path, or by a bare name where it comes with postern.
enum NamedFile {
  static func path(_ text: String, in folder: String) -> String {
    let isName = !text.contains("/") && !text.hasSuffix(".json")
    let known = "\(folder)/\(text).json"
    return isName && !FileManager.default.fileExists(atPath: text) && FileManager.default.fileExists(atPath: known)
      ? known : text
  }
}
