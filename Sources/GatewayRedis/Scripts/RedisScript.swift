internal import COpenSSL

/// A Lua script of the store, which Redis runs as one step. All keys begin with `KEYS[1]`, the prefix.
enum RedisScript: CaseIterable, Sendable {
  case commit, scan, setAside, acquire, renew, release, publish, takeTurn, keepTurn, giveTurn

  /// The digests by which the server knows the scripts.
  private static let digests: [RedisScript: String] = allCases.reduce(into: [:]) { $0[$1] = digest(of: $1.source) }

  /// The text of the script.
  var source: String {
    switch self {
    case .commit: Self.rows + Self.commitBody
    case .scan: Self.rows + Self.scanBody
    case .setAside: Self.rows + Self.setAsideBody
    case .acquire: Self.acquireBody
    case .renew: Self.renewBody
    case .release: Self.releaseBody
    case .publish: Self.publishBody
    case .takeTurn: Self.rows + Self.turns + Self.takeTurnBody
    case .keepTurn: Self.rows + Self.turns + Self.keepTurnBody
    case .giveTurn: Self.rows + Self.turns + Self.giveTurnBody
    }
  }

  /// The SHA-1 of the text, in hexadecimal, for `EVALSHA`.
  var digest: String { Self.digests[self, default: ""] }

  private static func digest(of source: String) -> String {
    let text = Array(source.utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    _ = SHA1(text, text.count, &digest)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The functions on rows that all scripts share.
  private static let rows = #"""
    local call, prefix = redis.call, KEYS[1]
    local rows_key, deadlines_key = prefix .. ':rows', prefix .. ':deadlines'
    local tally_key, meta_key = prefix .. ':tally', prefix .. ':meta'
    local unpack_bytes, sub = struct.unpack, string.sub

    -- The index of a table: its paths in the order of their bytes.
    local function index_key(path)
      return prefix .. ':x:' .. sub(path, 1, (string.find(path, '\0', 1, true) or 0) - 1)
    end

    -- A row: version (8 bytes), 1 if it expires (1), expiry (8), number of counts (2); of each count the weight (8), the
    -- length of its path (4) and the path; then the value. Before base bytes are left out. Nil if it is damaged.
    local function parse(row, base)
      if #row < base + 11 then return nil end
      local expires, high, low, number = unpack_bytes('>BI4I4I2', row, base + 1)
      local counts, at = {}, base + 12
      for index = 1, number do
        if #row < at + 11 then return nil end
        local weight, length = unpack_bytes('>I8I4', row, at)
        if #row < at + 11 + length then return nil end
        counts[index] = {sub(row, at + 12, at + 11 + length), weight}
        at = at + 12 + length
      end
      local version = base == 8 and unpack_bytes('>I8', row) or 0
      return {
        version = version, expires = expires == 1, high = high, low = low, counts = counts,
        expiry = sub(row, base + 2, base + 9)
      }
    end

    -- Strings are compared by the server's locale, so times are compared as numbers.
    local function is_alive(row, high, low)
      return not row.expires or high < row.high or (high == row.high and low < row.low)
    end

    local tallies, changed = {}, {}
    local function tally(path)
      if not tallies[path] then
        local known = tonumber(call('HGET', tally_key, path) or 0) or 0
        if not (known >= 0 and known <= 9007199254740992) then known = 0 end
        tallies[path] = known
      end
      return tallies[path]
    end
    local function add(path, more)
      tallies[path] = math.min(math.max(tally(path) + more, 0), 9007199254740992)
      changed[path] = true
    end
    local function keep_tallies()
      for path in pairs(changed) do
        local number = tallies[path]
        if number == 0 then call('HDEL', tally_key, path)
        else call('HSET', tally_key, path, string.format('%.0f', number)) end
      end
    end

    local function remove(path, row)
      call('HDEL', rows_key, path)
      call('ZREM', index_key(path), path)
      if row.expires then call('ZREM', deadlines_key, row.expiry .. path) end
      for _, count in ipairs(row.counts) do add(count[1], -count[2]) end
    end
    local damaged = {version = -1, expires = false, high = 0, low = 0, expiry = '', counts = {}}

    """#
}
