internal import Foundation
public import PosternTesting
public import XCTest

/// A test case of XCTest whose tests have a gateway each: `final class RefreshTests: PosternTestCase`.
///
/// The gateway ends with the test. If the test fails, the last lines of the gateway's journal are printed on standard error.
///
/// ```swift
/// func testRefreshesOnce() async throws {
///   let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
///   …
/// }
/// ```
///
/// A subclass that overrides `setUp` or `tearDown` must call this class's: `try await super.setUp()`.
open class PosternTestCase: XCTestCase {
  private var started: PosternGateway?
  private static let linesShown = 30

  /// The options of each test's gateway; the defaults unless overridden.
  open var options: PosternGateway.Options { PosternGateway.Options() }

  /// The gateway of the running test.
  ///
  /// - Precondition: `setUp` of this class has run.
  public var gateway: PosternGateway {
    guard let started else { preconditionFailure("no gateway: setUp is overridden without super.setUp()") }
    return started
  }

  /// Starts the gateway.
  @concurrent open override func setUp() async throws {
    try await super.setUp()
    started = try await PosternGateway.start(options)
  }

  /// Stops the gateway, and prints the journal's last lines if the test has failed.
  @concurrent open override func tearDown() async throws {
    if let gateway = started {
      started = nil
      // `hasSucceeded` is not set yet, so the failures are counted.
      if testRun.map({ $0.totalFailureCount > 0 }) ?? false {
        let text =
          "the journal of \(name)'s gateway, its last lines:\n\(await gateway.journal.text(last: Self.linesShown))\n"
        // An unwritable standard error must not end the run.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
      }
      await gateway.stop()
    }
    try await super.tearDown()
  }
}
