-- Requests for wrk: GET /health and POST /predict in turns, as in the study's load test.
-- usage: wrk -s serving.lua URL -- study|shuffled|texts FILE SEED
--   study      95 % the same three sentences, which a cache answers; else ten others in a new order
--   shuffled   always the ten in a new order: every request is computed
--   texts      one text of FILE (one a line) each time, in turns
-- Another SEED gives another order and other texts, which no cache has seen.
local kind, texts, next_text, posts_next = 'study', {}, 0, false
local fixed = {'This movie was wonderful.', 'I did not like the ending at all.', 'An average film, nothing more.'}
local others = {'A moving story with a strong cast.', 'The plot makes no sense.', 'I would watch it again.',
  'Two hours of my life that I will never get back.', 'The music alone is worth the ticket.', 'Dull, slow and far too long.',
  'A clever and funny script.', 'The worst acting I have seen in years.', 'My children loved every minute of it.',
  'It starts well but falls apart in the second half.'}

local function body_of(list)
  local quoted = {}
  for i, text in ipairs(list) do
    quoted[i] = '"' .. text:gsub('\\', '\\\\'):gsub('"', '\\"') .. '"'
  end
  return '{"text": [' .. table.concat(quoted, ', ') .. ']}'
end

local function shuffled(list)
  local copy = {}
  for i, text in ipairs(list) do
    copy[i] = text
  end
  for i = #copy, 2, -1 do
    local j = math.random(i)
    copy[i], copy[j] = copy[j], copy[i]
  end
  return copy
end

function init(arguments)
  kind = arguments[1]
  for line in io.lines(arguments[2]) do
    texts[#texts + 1] = line
  end
  math.randomseed(arguments[3])
  next_text = math.random(#texts)
end

function request()
  posts_next = not posts_next
  if not posts_next and kind == 'study' then
    return wrk.format('GET', '/health')
  end
  local list = fixed
  if kind == 'texts' then
    next_text = next_text % #texts + 1
    list = {texts[next_text]}
  elseif kind == 'shuffled' or math.random() > 0.95 then
    list = shuffled(others)
  end
  return wrk.format('POST', '/predict', {['Content-Type'] = 'application/json'}, body_of(list))
end
