// The turns of the nodes of a gateway. Three keys of a turn, whose names end with its path:
//
// - `turn`: the fencing number (8 bytes) and the life (3) of the holder; it ends with the lease.
// - `queue`: the lives that wait, in order, 3 bytes each.
// - the row at the path, whose version is the fencing number. Commits check it as any other row.
//
// `ARGV[1]` is the path, and `ARGV[2]` the life of the asking node.

extension RedisScript {
  static let turns = #"""
    local path, life = ARGV[1], ARGV[2]
    local turn_key, queue_key = prefix .. ':turn:' .. path, prefix .. ':queue:' .. path

    -- The lives that wait, up to four of each of 64 nodes.
    local function waiting()
      local queue = call('GET', queue_key) or ''
      return #queue % 3 == 0 and sub(queue, 1, 768) or ''
    end
    local function keep(queue)
      if queue == '' then call('DEL', queue_key) else call('SET', queue_key, queue, 'PX', 60000) end
    end
    local function queued(queue)
      for at = 1, #queue, 3 do
        if sub(queue, at, at + 2) == life then return queue end
      end
      return #queue < 768 and queue .. life or queue
    end

    -- The first of the queue that has asked lately, or own; and the rest of the queue. A node that is gone is left out.
    local function next_of(queue, own)
      while queue ~= '' do
        local first = sub(queue, 1, 3)
        queue = sub(queue, 4)
        if first == own or call('GET', prefix .. ':waiter:' .. first) then return first, queue end
      end
      return own, ''
    end

    -- Grants the turn. The fencing number is a version, so it rises over all rows.
    local function grant(holder, lease)
      local time = call('TIME')
      local last = tonumber(call('HGET', meta_key, 'version') or 0) or 0
      if not (last >= 0 and last < 9007199254740000) then last = 0 end
      local number = math.max(last + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
      local head = struct.pack('>I8', number)
      call('HSET', meta_key, 'version', string.format('%.0f', number))
      call('HSET', rows_key, path, head .. string.rep('\0', 11) .. '{}')
      call('ZADD', index_key(path), 0, path)
      call('SET', turn_key, head .. holder, 'PX', lease)
      return number
    end
    -- Tells another node its grant, on the bus, so that it comes after all that was published before.
    local function tell(holder, number)
      local count = call('HINCRBY', meta_key, 'bus', 1)
      call('PUBLISH', prefix .. ':bus', struct.pack('>I8', count) .. '\2' .. holder .. struct.pack('>I8', number) .. path)
    end

    """#

  /// Asks for a turn. `ARGV[3]` and `ARGV[4]` are the milliseconds of a lease, and of a place in the queue unless asked again.
  ///
  /// Returns the fencing number, 0 if the node has to wait, and the number of the last message on the bus. A node that has the
  /// turn already gets the same number again.
  static let takeTurnBody = #"""
    local held = call('GET', turn_key)
    if held and #held == 11 and sub(held, 9) == life then
      call('SET', turn_key, held, 'PX', ARGV[3])
      return {(unpack_bytes('>I8', held)), tonumber(call('HGET', meta_key, 'bus') or 0) or 0}
    end
    local queue = waiting()
    if not held then
      local next, rest = next_of(queue, life)
      local number = grant(next, ARGV[3])
      if next == life then
        if rest ~= queue then keep(rest) end
        return {number, tonumber(call('HGET', meta_key, 'bus') or 0) or 0}
      end
      tell(next, number)
      queue = rest
    end
    call('SET', prefix .. ':waiter:' .. life, '1', 'PX', ARGV[4])
    keep(queued(queue))
    return {0, 0}
    """#

  /// Renews the lease of the turn whose fencing number is `ARGV[3]` for `ARGV[4]` milliseconds, also after its end if no other
  /// node has had the turn since. Returns 1; or 0 if one has.
  static let keepTurnBody = #"""
    local row = call('HGET', rows_key, path)
    if not row or sub(row, 1, 8) ~= ARGV[3] then return 0 end
    call('SET', turn_key, ARGV[3] .. life, 'PX', ARGV[4])
    return 1
    """#

  /// Gives the turn back whose fencing number is `ARGV[3]`, to the first node that waits, for a lease of `ARGV[4]` milliseconds.
  /// Returns 1; or 0 if another node has had the turn since.
  static let giveTurnBody = #"""
    local row = call('HGET', rows_key, path)
    if not row or sub(row, 1, 8) ~= ARGV[3] then return 0 end
    local queue = waiting()
    local next, rest = next_of(queue, nil)
    if rest ~= queue then keep(rest) end
    if next then
      tell(next, grant(next, ARGV[4]))
    else
      call('DEL', turn_key)
      call('HDEL', rows_key, path)
      call('ZREM', index_key(path), path)
    end
    return 1
    """#
}
