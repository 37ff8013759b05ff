import GatewayServer
import Glibc

/// Certificates of the openssl command, in a directory that is removed with the value.
final class TestCertificate {
  private let directory: String

  var files: TLSFiles {
    TLSFiles(certificatePath: "\(directory)/cert.pem", keyPath: "\(directory)/key.pem")
  }

  init(commonName: String = "localhost") throws {
    var template = Array("/tmp/postern-tls-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw RawClient.Failure(description: "no temporary directory") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    make(commonName: commonName)
  }

  deinit {
    removeCertificate()
    unlink(files.keyPath)
    rmdir(directory)
  }

  /// Replaces both files.
  func make(commonName: String) {
    Self.run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(commonName) "
        + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout \(files.keyPath) -out \(files.certificatePath) 2>&1"
    )
  }

  /// Replaces the key by one of another certificate.
  func breakKey() {
    Self.run("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out \(files.keyPath) 2>&1")
  }

  func removeCertificate() {
    unlink(files.certificatePath)
  }

  /// Sends a request with openssl's client, and returns all its output: the certificate and the answer.
  static func request(port: Int, path: String, arguments: String = "") -> String {
    run(
      "printf 'GET \(path) HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' | "
        + "timeout 20 openssl s_client -connect 127.0.0.1:\(port) -ign_eof \(arguments) 2>/dev/null")
  }

  /// Sends a text over TLS, and returns the answer until the server ends the connection.
  static func send(_ text: String, port: Int) -> String {
    run(
      "timeout 20 openssl s_client -quiet -connect 127.0.0.1:\(port) 2>/dev/null "
        + "<<'END_OF_REQUEST'\n\(text)\nEND_OF_REQUEST\n")
  }

  /// Returns the output of a shell command.
  @discardableResult
  private static func run(_ command: String) -> String {
    guard let pipe = popen(command, "re") else { return "" }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
