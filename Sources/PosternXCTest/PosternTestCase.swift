internal import Foundation
public import PosternTesting
public import XCTest

/// A test case of XCTest whose tests have a gateway each.
///
/// The gateway ends with the test. If the test has failed, the last lines of the gateway's journal are on standard error.
///
/// ```swift
/// func testRefreshesOnce() async throws {
///   let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
///   …
/// }
/// ```
///
/// An override of `setUp` or `tearDown` calls that of this class: `try await super.setUp()`.
open class PosternTestCase: XCTestCase {
  private var started: PosternGateway?
  private static let linesShown = 30

  /// The options of each test's gateway; the defaults unless this is overridden.
  open var options: PosternGateway.Options { PosternGateway.Options() }

  /// The gateway of the test that runs.
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

  /// Ends it, and shows what happened if the test has failed.
  @concurrent open override func tearDown() async throws {
    if let gateway = started {
      started = nil
      // It has not succeeded yet, whatever comes.
      if testRun.map({ $0.totalFailureCount > 0 }) ?? false {
        let text =
          "the journal of \(name)'s gateway, its last lines:\n\(await gateway.journal.text(last: Self.linesShown))\n"
        // A standard error that takes nothing must not end the run.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
      }
      await gateway.stop()
    }
    try await super.tearDown()
  }
}
