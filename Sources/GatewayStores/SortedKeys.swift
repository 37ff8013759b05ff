/// Keys in order, in runs of bounded length, so that an insertion or removal moves few other keys.
struct SortedKeys<Key: Comparable> {
  private static var runMax: Int { 512 }

  /// The runs in order; none of them is empty.
  private var runs: [[Key]] = []

  /// The least key.
  var first: Key? { runs.first?.first }

  mutating func insert(_ key: Key) {
    guard !runs.isEmpty else { return runs.append([key]) }
    let run = runIndex(of: key)
    let place = Self.place(of: key, in: runs[run])
    guard place == runs[run].count || runs[run][place] != key else { return }
    runs[run].insert(key, at: place)
    guard runs[run].count > Self.runMax else { return }
    let half = runs[run].count / 2
    let upper = Array(runs[run][half...])
    runs[run].removeSubrange(half...)
    runs.insert(upper, at: run + 1)
  }

  mutating func remove(_ key: Key) {
    guard !runs.isEmpty else { return }
    let run = runIndex(of: key)
    let place = Self.place(of: key, in: runs[run])
    guard place < runs[run].count, runs[run][place] == key else { return }
    runs[run].remove(at: place)
    if runs[run].isEmpty { runs.remove(at: run) }
  }

  /// Calls `body` with the keys from `lower` on, in order, until it returns false.
  func visit(from lower: Key, _ body: (Key) -> Bool) {
    guard !runs.isEmpty else { return }
    var run = runIndex(of: lower)
    var place = Self.place(of: lower, in: runs[run])
    while run < runs.count {
      while place < runs[run].count {
        guard body(runs[run][place]) else { return }
        place += 1
      }
      run += 1
      place = 0
    }
  }

  /// Calls `body` with the keys from `lower` on and below `upper`, in order or backwards, until it returns false.
  func visit(from lower: Key, below upper: Key, isBackwards: Bool, _ body: (Key) -> Bool) {
    guard isBackwards else { return visit(from: lower) { $0 < upper && body($0) } }
    guard !runs.isEmpty else { return }
    var run = runIndex(of: upper)
    var place = Self.place(of: upper, in: runs[run])
    while true {
      while place > 0 {
        place -= 1
        guard runs[run][place] >= lower, body(runs[run][place]) else { return }
      }
      guard run > 0 else { return }
      run -= 1
      place = runs[run].count
    }
  }

  /// Returns the index of the run that has or would have `key`: the last run that does not begin after it.
  private func runIndex(of key: Key) -> Int {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle][0] <= key { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the index of the first key that is not less than `key`.
  private static func place(of key: Key, in run: [Key]) -> Int {
    var low = 0
    var high = run.count
    while low < high {
      let middle = (low + high) / 2
      if run[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
