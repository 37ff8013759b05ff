internal import CLibWebSockets
internal import Glibc
internal import Synchronization

/// A private authority for tests. Its certificates can only be for the hosts that its critical name constraints list.
///
/// `@unchecked Sendable`: OpenSSL's objects are counted atomically and never changed after they are made.
package final class TLSAuthority: @unchecked Sendable {
  private let certificate: TLSCertificate
  /// The contexts made so far, by host, and the hosts in the order in which they were made.
  private let made = Mutex(Contexts())

  private struct Contexts {
    var byHost: [[UInt8]: Context] = [:]
    var hosts: [[UInt8]] = []
  }

  /// `@unchecked Sendable`: as for the authority.
  private final class Context: @unchecked Sendable {
    let handle: OpaquePointer
    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { SSL_CTX_free(handle) }
  }

  /// The most hosts whose certificates are kept.
  private static let hostsMax = 256
  /// The names of this machine, which every certificate has besides its host.
  private static let local = ["localhost", "127.0.0.1", "::1"]

  /// Reads an authority. Throws if the files are unusable, or if the authority could sign for any host.
  package init(reading files: TLSFiles) throws(ServerError) {
    certificate = try TLSCertificate(reading: files)
    guard postern_authority_check(certificate.handle) == 0 else {
      throw .badCertificate(
        "\(files.certificatePath) is no authority with critical name constraints; make one with postern proxy ca")
    }
  }

  /// Creates an authority for the hosts and this machine, and writes it to two new files that only the user can read.
  ///
  /// - Parameters:
  ///   - hosts: Names in ASCII, or addresses without brackets.
  ///   - seconds: Its life.
  ///   - files: The paths of the two files.
  package static func create(for hosts: [String], seconds: Int, in files: TLSFiles) throws(ServerError) {
    let names = names(hosts)
    let reason = withStrings(names) { names in
      withReason { reason, size in
        postern_authority_create(
          names.baseAddress, names.count, seconds, files.certificatePath, files.keyPath, reason, size)
      }
    }
    if let reason { throw .badCertificate(reason) }
  }

  /// Checks that the authority may sign a certificate for the host.
  package func check(_ host: String) throws(ServerError) {
    _ = try make(for: host)
  }

  /// Returns the TLS context of a host, made at its first use; nil if the authority may not sign for it.
  func context(for host: String) -> OpaquePointer? {
    let key = Array(host.utf8)
    return made.withLock { made in
      if let context = made.byHost[key] { return context.handle }
      guard let context = try? make(for: host) else { return nil }
      if made.hosts.count >= Self.hostsMax { made.byHost[made.hosts.removeFirst()] = nil }
      made.byHost[key] = context
      made.hosts.append(key)
      return context.handle
    }
  }

  private func make(for host: String) throws(ServerError) -> Context {
    var handle: OpaquePointer?
    let reason = Self.withStrings(Self.names([host])) { names in
      Self.withReason { reason, size in
        handle = postern_authority_context(certificate.handle, names.baseAddress, names.count, reason, size)
        return handle == nil ? -1 : 0
      }
    }
    guard let handle else { throw .badCertificate(reason ?? "") }
    return Context(handle)
  }

  private static func names(_ hosts: [String]) -> [String] {
    hosts + local.filter { local in !hosts.contains { $0.utf8.elementsEqual(local.utf8) } }
  }

  /// Returns the reason that `body` writes if it returns another number than 0.
  private static func withReason(_ body: (UnsafeMutablePointer<CChar>?, Int) -> CInt) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      buffer.initialize(repeating: 0)
      guard body(buffer.baseAddress, buffer.count) != 0 else { return nil }
      return buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  /// Calls `body` with the texts as C strings.
  private static func withStrings<Result>(
    _ texts: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
  }
}
