package import GatewayCore

extension Store {
  /// Reads a range in pages, in its order, until `body` returns false. Each page is read at another moment, so a row
  /// written in between may be included or not.
  package func visit<Failure: StoreFailure>(
    _ range: StoreRange, pageSize: Int = 1_000, at now: WallTime,
    _ body: (_ page: [StoreEntry]) async throws(Failure) -> Bool
  ) async throws(Failure) {
    var rest = range
    while true {
      let page = try await Failure.asking { () async throws(StoreError) in
        try await scan(rest, limit: pageSize, at: now)
      }
      guard try await body(page), page.count == pageSize, let last = page.last else { return }
      rest = rest.after(last.path)
    }
  }
}
