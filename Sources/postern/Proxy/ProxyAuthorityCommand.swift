import GatewayCore
import GatewayKit
import GatewayServer
import Glibc

/// The command `postern proxy ca`: it makes the private authority of a proxy that ends TLS for named hosts.
enum ProxyAuthorityCommand: Command {
  static let name = "proxy ca"
  static let summary =
    "make a private certificate authority for postern proxy --ca, which can sign for the named hosts and this machine only"
  static let example = "postern proxy ca --name realtime.example --out ca"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var names: [Arguments.Value] = []
    var folder: Arguments.Value?
    var days = 30
    var env: Arguments.Value?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "name", "HOST", "a host that the authority may sign for, besides localhost, 127.0.0.1 and ::1", each: \.names)
    Option(
      "out", "DIR", "the folder for ca.pem and ca-key.pem; it is created, and files in it are kept", \.folder, .asGiven)
    Option("days", "N", "how long the authority is valid (default 30)", \.days, .int(1...397))
    Option(
      "env", "DIR", "print the environment of clients for the authority in this folder, and make none", \.env, .asGiven)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    if let folder = draft.env {
      guard draft.folder == nil, draft.names.isEmpty else {
        throw UsageError("--env prints only, and goes without --name and --out")
      }
      _ = try ProxyAuthority.read(folder)
      Output.line(ProxyAuthority.environment(try ProxyAuthority.fullPath(of: folder)))
      return 0
    }
    guard let folder = draft.folder else {
      throw UsageError("--out is needed: the folder for the two files, e.g. --out ca")
    }
    guard draft.names.count <= namesMax else { throw UsageError("--name: at most \(namesMax) hosts") }
    let hosts = try draft.names.map(host)
    guard mkdir(folder.text, 0o700) == 0 || errno == EEXIST else {
      throw UsageError("--out \(folder.text): cannot be created: \(String(cString: strerror(errno)))")
    }
    do {
      try TLSAuthority.create(for: hosts, seconds: draft.days * 86_400, in: ProxyAuthority.files(in: folder.text))
    } catch {
      throw UsageError("--out \(folder.text): \(error)")
    }
    let days = draft.days == 1 ? "1 day" : "\(draft.days) days"
    let usual = ["localhost", "127.0.0.1", "::1"]
    let shown = hosts.filter { host in !usual.contains { Name($0) == Name(host) } } + usual
    Output.line(
      """
      made     \(folder.text)/ca.pem and \(folder.text)/ca-key.pem, valid for \(days)
      signs    for \(shown.joined(separator: ", ")) only
      never    install it for the whole system or in a browser's own profile: give it to the client under test only

      \(ProxyAuthority.environment(try ProxyAuthority.fullPath(of: folder)))
      """)
    return 0
  }

  private static let namesMax = 64

  /// Reads a host. Throws if it is none.
  private static func host(_ value: Arguments.Value) throws -> String {
    let plain = PinnedHost.plain(value.text)
    let isLong = plain.utf8.count > 253
    guard !isLong, let authority = Authority(plain.contains(":") ? "[\(plain)]" : plain), authority.port == nil,
      authority.address != nil || authority.host.utf8.allSatisfy(mayName),
      authority.host.utf8.first != UInt8(ascii: ".")
    else { throw UsageError(value.source, value: value.text, expected: "a host as realtime.example, without a port") }
    return authority.address?.description ?? authority.host
  }

  private static func mayName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The folder of a proxy's authority.
enum ProxyAuthority {
  /// Returns the paths of the authority's files.
  static func files(in folder: String) -> TLSFiles {
    TLSFiles(certificatePath: "\(folder)/ca.pem", keyPath: "\(folder)/ca-key.pem")
  }

  /// Reads the authority in a folder. Throws a ``UsageError`` if it is unusable.
  static func read(_ folder: Arguments.Value) throws -> TLSAuthority {
    do {
      return try TLSAuthority(reading: files(in: folder.text))
    } catch {
      throw UsageError("\(folder.source) \(folder.text): \(error)")
    }
  }

  /// Returns the absolute path of an existing folder.
  static func fullPath(of folder: Arguments.Value) throws -> String {
    guard let path = realpath(folder.text, nil) else {
      throw UsageError("\(folder.source) \(folder.text): \(String(cString: strerror(errno)))")
    }
    defer { free(path) }
    return String(cString: path)
  }

  /// Returns the lines that make clients of one shell trust the authority.
  static func environment(_ folder: String) -> String {
    let file = quoted("\(folder)/ca.pem")
    let store = quoted("\(folder)/ca.jks")
    return """
      export SSL_CERT_FILE=\(file)         # OpenSSL: Python, Ruby, Go, httpx; it replaces the system's authorities
      export REQUESTS_CA_BUNDLE=\(file)    # requests
      export CURL_CA_BUNDLE=\(file)        # curl
      export NODE_EXTRA_CA_CERTS=\(file)   # Node.js, beside its own authorities
      # Java:     keytool -importcert -noprompt -alias postern -file \(file) -keystore \(store) -storepass changeit
      #           java -Djavax.net.ssl.trustStore=\(store) -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8080 …
      # Chromium: certutil -d sql:PROFILE/.pki/nssdb -A -t C,, -n postern -i \(file), with HOME=PROFILE for the browser
      export HTTPS_PROXY=http://127.0.0.1:8080   # the proxy's address
      """
  }

  /// Returns a text as one word of a shell.
  private static func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      (0x2b...0x3a).contains(byte) || (0x40...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f
    }
    guard !plain else { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
