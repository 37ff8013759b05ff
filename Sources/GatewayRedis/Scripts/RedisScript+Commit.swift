extension RedisScript {
  /// Applies a commit, or nothing of it.
  ///
  /// `ARGV`: its id; how long it is remembered, and the time up to which rows are swept; the end of the range of deadlines
  /// that are swept, and that may be; the time of the commit; the lease, or nothing; 1 if the clock is compared; the numbers
  /// of checks and of writes. Then a path and a version for each check; a path, the row without its version or nothing,
  /// and the bounds of its counts for each write.
  ///
  /// Returns:
  ///
  /// - 1 if the commit is applied.
  /// - 0 if a checked row has changed.
  /// - 2 if the process does not hold the lease.
  /// - 3 if the clocks differ too much.
  /// - -n if the n-th count of the written rows would exceed its bound.
  static let commitBody = #"""
    local id_key = prefix .. ':done:' .. ARGV[1]
    local steady_high, steady_low = unpack_bytes('>I4I4', ARGV[3])
    local now_high, now_low = unpack_bytes('>I4I4', ARGV[6])
    local check_count, write_count = tonumber(ARGV[9]), tonumber(ARGV[10])
    local steady_bound, now_bound = ARGV[4], ARGV[5]

    local known = call('GET', id_key)
    if known and #known == 8 then
      local high, low = unpack_bytes('>I4I4', known)
      if steady_high < high or (steady_high == high and steady_low < low) then return 1 end
    end
    if ARGV[7] ~= '' and call('GET', prefix .. ':lease') ~= ARGV[7] then return 2 end
    local time = call('TIME')
    if ARGV[8] == '1' then
      local seconds = (now_high - 2147483648) * 4.294967296 + now_low / 1000000000
      if math.abs(tonumber(time[1]) - seconds) > 60 then return 3 end
    end

    -- The rows that are checked or written, as they are now; false for none.
    local rows, wanted, is_wanted = {}, {}, {}
    local function want(path)
      if is_wanted[path] then return end
      is_wanted[path] = true
      wanted[#wanted + 1] = path
    end
    local first_write = 11 + 2 * check_count
    for index = 0, check_count - 1 do want(ARGV[11 + 2 * index]) end
    for index = 0, write_count - 1 do want(ARGV[first_write + 3 * index]) end
    for start = 1, #wanted, 1000 do
      local last = math.min(start + 999, #wanted)
      local found = call('HMGET', rows_key, unpack(wanted, start, last))
      for index = start, last do
        local row = found[index - start + 1]
        rows[wanted[index]] = row and (parse(row, 8) or damaged)
      end
    end

    for index = 0, check_count - 1 do
      local row = rows[ARGV[11 + 2 * index]]
      local version = row and is_alive(row, now_high, now_low) and row.version or 0
      if version ~= tonumber(ARGV[12 + 2 * index]) then return 0 end
    end

    -- Removes rows that have expired, at most limit; answers whether there were any.
    local function sweep(bound, limit)
      local found = call('ZRANGEBYLEX', deadlines_key, '-', bound, 'LIMIT', 0, limit)
      for _, deadline in ipairs(found) do
        local path = sub(deadline, 9)
        local row = call('HGET', rows_key, path)
        row = row and parse(row, 8)
        if row and row.expires and row.expiry == sub(deadline, 1, 8) then
          remove(path, row)
          if is_wanted[path] then rows[path] = false end
        else
          call('ZREM', deadlines_key, deadline)
        end
      end
      return #found > 0
    end
    sweep(steady_bound, 16 + 2 * write_count)

    local writes, raised = {}, {}
    for index = 0, write_count - 1 do
      local at = first_write + 3 * index
      local write = {path = ARGV[at], body = ARGV[at + 1]}
      if write.body ~= '' then
        write.row = parse(write.body, 0)
        for number, count in ipairs(write.row.counts) do
          raised[#raised + 1] = {count[1], (unpack_bytes('>I8', ARGV[at + 2], 8 * number - 7))}
        end
      end
      writes[#writes + 1] = write
    end
    -- The first count that the writes would raise above its bound.
    local function excess()
      if #raised == 0 then return nil end
      local growth = {}
      local function grow(counts, sign)
        for _, count in ipairs(counts) do growth[count[1]] = (growth[count[1]] or 0) + sign * count[2] end
      end
      for _, write in ipairs(writes) do
        local old = rows[write.path]
        if old then grow(old.counts, -1) end
        if write.row then grow(write.row.counts, 1) end
      end
      for number, count in ipairs(raised) do
        local more = growth[count[1]]
        if more > 0 and tally(count[1]) + more > count[2] then return number end
      end
      return nil
    end
    local number = excess()
    while number do
      if not sweep(now_bound, 256) then
        keep_tallies()
        return -number
      end
      number = excess()
    end

    local last = tonumber(call('HGET', meta_key, 'version') or 0) or 0
    if not (last >= 0 and last < 9007199254740000) then last = 0 end
    local version = math.max(last + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
    call('HSET', meta_key, 'version', string.format('%.0f', version))
    local head = struct.pack('>I8', version)
    for _, write in ipairs(writes) do
      local path, row, old = write.path, write.row, rows[write.path]
      if old then
        for _, count in ipairs(old.counts) do add(count[1], -count[2]) end
        if old.expires and not (row and row.expires and row.expiry == old.expiry) then
          call('ZREM', deadlines_key, old.expiry .. path)
        end
      end
      if row then
        call('HSET', rows_key, path, head .. write.body)
        if not old then call('ZADD', index_key(path), 0, path) end
        if row.expires then call('ZADD', deadlines_key, 0, row.expiry .. path) end
        for _, count in ipairs(row.counts) do add(count[1], count[2]) end
      elseif old then
        call('HDEL', rows_key, path)
        call('ZREM', index_key(path), path)
      end
      rows[path] = row or false
    end
    keep_tallies()
    -- Last, so that a refused commit is not remembered.
    -- One minute by the caller's clock, one that this clock may differ by, and one for a slow caller.
    call('SET', id_key, ARGV[2], 'PX', 180000)
    return 1
    """#
}
